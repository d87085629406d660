"""Who may ask a source when: room for each caller, groups paced for the whole fleet, cool-downs (5.5, 5.6)."""
