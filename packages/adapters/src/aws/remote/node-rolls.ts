import { facts, nextSoftware, softwareObject } from '@drover/core/names/search-cluster';
import type { NodeRolls, Software } from '@drover/search-cluster';
import { commandState, runningCommand, sendScript } from './node-scripts.ts';
import { type OperatorSsm, remoteAgents } from './remote-agents.ts';

/**
 * Fetches what the pointer names into a folder of its own and checks it, by the boot script that every node has had since
 * its launch, in release 0.1.0 too: nothing newer can be asked for before it is there. Fails if the pointer is another one
 * by now.
 */
export const fetchProgram = (digest: string): string => `
import json, os, shutil, sys
sys.path.insert(0, "/opt/drover")
import boot
file = "${facts.files[0]}"
with open(file) as f: facts = json.load(f)
bucket = facts["drover"]["launch"]["endpoint"].replace("autoscaling", "s3") + facts["elasticsearch"]["state_bucket"] + "/"
it = boot.Boot(file)
it.home = "${nextSoftware}"
mark = it.home + "/software.json.next"
def read():
    with it.call("s3", bucket + "${softwareObject}") as found: return json.load(found)
pointer = it.retry(read, "${softwareObject}", 60)
if pointer["digest"] != "${digest}": sys.exit("the software is to be " + pointer["digest"] + " by now, not ${digest}")
shutil.rmtree(it.home, ignore_errors=True)
for archive in pointer["archives"]:
    asset = dict(archive, url=bucket + archive["key"])
    it.retry(lambda: it.install(asset), asset["url"], 300)
with open(mark, "w") as f: json.dump(pointer, f)
`;

/** The new programs take themselves into use. */
const script = ({ digest }: Software) =>
  `python3 -c '${fetchProgram(digest)}' && ${nextSoftware}/bin/cluster-cli node take-software`;

const commentOf = ({ digest }: Software) => `drover cluster roll ${digest}`;

/** Has single nodes take software, by Systems Manager. */
export const nodeRolls = (ssm: OperatorSsm): NodeRolls => ({
  agents: (instanceIds) => remoteAgents(ssm, instanceIds),
  send: async (instanceId, software) => {
    const running = await runningCommand(ssm, instanceId, commentOf(software));
    return running ?? (await sendScript(ssm, instanceId, script(software), commentOf(software)));
  },
  state: (instanceId, commandId) => commandState(ssm, instanceId, commandId),
});
