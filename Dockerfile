# The image of paperdesk: the locked environment, the program and its sample catalog. Nothing in it builds anything,
# and it runs on a read-only file system as a user who owns nothing but /state, where scans are kept.
#
#   docker build --tag paperdesk .
#
# The base is the Python and the Debian release that the tests run on, by the digest of its index for all platforms.
# To take in a newer one, write tag and digest here together, as `docker buildx imagetools inspect TAG` shows them.
ARG PYTHON_IMAGE=python:3.11.16-slim-bookworm@sha256:a36c24f9cbdf4fd0f52d67f0823eeac19c2028c637cecc392d97f980d4fec56b

FROM ${PYTHON_IMAGE} AS build
WORKDIR /opt/paperdesk
# Wheels only: nothing is compiled, and the environment that goes into the image has no installer of its own.
COPY requirements.lock .
RUN --mount=type=cache,target=/root/.cache/pip \
    python -m venv --without-pip env \
    && python -m pip --python env/bin/python install --require-hashes --only-binary=:all: -r requirements.lock
COPY core core
COPY server server
COPY deploy/paperdesk env/bin/paperdesk
# The sample catalog is built here, so that a first start writes nothing and is quick.
ENV XDG_CACHE_HOME=/opt/paperdesk/cache
RUN env/bin/python -m compileall -q core server \
    && env/bin/python -m server catalog info sample: \
    && install --directory --mode=0700 --owner=10001 --group=10001 /state

FROM ${PYTHON_IMAGE}
WORKDIR /opt/paperdesk
COPY --from=build /opt/paperdesk /opt/paperdesk
COPY --from=build --chown=10001:10001 /state /state
# All addresses: what reaches the container is decided by what publishes its port. PAPERDESK_PUBLIC_URL and
# PAPERDESK_CURSOR_KEYS are then required, and the start says so.
ENV PATH=/opt/paperdesk/env/bin:/usr/local/bin:/usr/bin:/bin \
    PYTHONPATH=/opt/paperdesk \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    XDG_CACHE_HOME=/opt/paperdesk/cache \
    PAPERDESK_HOST=0.0.0.0 \
    PAPERDESK_SCAN_STORE=sqlite:/state/scans.db
# Mount a volume here, or scans end with the container.
VOLUME /state
USER 10001:10001
EXPOSE 7860
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 CMD ["paperdesk", "health"]
ENTRYPOINT ["paperdesk"]
CMD ["serve"]
