#!/usr/bin/env python3
"""While an instance of Drover boots there is no agent yet: this says that EC2 has given notice, so that another instance
is launched at once and not when this one is gone.

Runs beside the boot script, whose calls it uses, from before the packages are installed. It ends with the boot: what
follows reports itself.
"""
import json
import os
import sys
import time
from urllib import parse

from boot import FACTS, Boot

# "We recommend that you check for these interruption notices every 5 seconds" (EC2 User Guide, Spot Instance interruption
# notices).
PAUSE = 5


def watch(boot):
    while not any(os.path.exists(os.path.join(boot.marks, mark)) for mark in ('booted', 'boot-failed')):
        # Said in each round: the boot script's own report may come after it.
        try:
            boot.metadata('spot/instance-action')
            report(boot)
        # 404: there is no notice. Whatever else it was, the next round tries again.
        except Exception:
            pass
        time.sleep(boot.facts.get('pause', PAUSE))


def report(boot):
    said = {'at': int(time.time() * 1000), 'phase': 'booting', 'workers': 0, 'reclaimed': True}
    key = parse.quote(boot.reports + boot.metadata('instance-id'))
    url = boot.facts['launch']['endpoint'].replace('autoscaling', 's3') + key
    boot.call('s3', url, json.dumps(said).encode(), {'content-type': 'application/json'}, 'PUT').close()


if __name__ == '__main__':
    watch(Boot(*sys.argv[1:] or [FACTS]))
