"""Tools on the deployment itself."""

from core.references.results import HealthAnswer, ProfileAnswer
from core.references.service import References


async def doiget_capability_profile(services: References) -> ProfileAnswer:
    """WHEN TO USE: You want to know which sources are asked and what the limits are; doiget_health says if all is well.
    INPUTS: None.
    OUTPUTS: sources with the setting that would enable each, limits, tools that are not offered.
    COSTS: No request.
    SIDE EFFECTS: None.
    LIMITS: Shows no key, e-mail address or path.
    """
    return await services.about.profile()


async def doiget_health(services: References) -> HealthAnswer:
    """WHEN TO USE: You want to know whether the service is well; for its sources use doiget_capability_profile.
    INPUTS: None.
    OUTPUTS: Versions, mode, and what the catalog is.
    COSTS: No request.
    SIDE EFFECTS: None.
    LIMITS: Says nothing of sources.
    """
    return await services.about.health()
