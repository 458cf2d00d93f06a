import { bool, choice, int, list, onOff, text } from './flag.ts'

const noGpu = 'GPU memory is not managed yet'
const noAgentLibraries = '"checksum" is built in, and other agents need code'

/** What the server is and how it ends. */
export const serverFlags = {
  id: text('triton', 'Name of this server in its metadata.'),
  'exit-timeout-secs': int(30, 'Seconds that running requests have to finish when the server exits.'),
}

/** Which models there are, and when they are loaded. */
export const repositoryFlags = {
  'model-store': list('<string>', 'The same as --model-repository.'),
  'model-repository': list(
    '<string>',
    'Directory of models; may be given several times. A name must be in one only, unless --model-namespacing.',
  ),
  'exit-on-error': bool(true, 'Exit when a model fails to load at the start.'),
  'disable-auto-complete-config': onOff('Take model configurations as they are, without completing them.'),
  'strict-readiness': bool(true, 'Be ready only when every model is; otherwise as soon as the server answers.'),
  'model-control-mode': choice(
    'none',
    ['none', 'poll', 'explicit', 'on-demand'],
    '"none": load everything at the start. "poll": that, and then whatever changes in the repositories. ' +
      '"explicit": load --load-model, then what clients ask for. "on-demand", of triton-ts alone: the same, and every ' +
      'other model when it is first used.',
  ),
  'repository-poll-secs': int(
    15,
    'Seconds between two looks at the repositories in mode "poll"; without effect in others. 0: no looks.',
  ),
  'memory-budget': text(
    '',
    'Bytes that models may take in mode "on-demand", or 8GB, 512MiB; those least recently used go first. A flag of ' +
      'triton-ts alone; without it there is no limit.',
  ),
  'load-model': list(
    '<string>',
    'Model to load at the start in mode "explicit" or "on-demand"; may be given several times. * is all.',
  ),
  'traffic-split': list(
    '<model>:<version>=<weight>,...',
    'Weights of the versions that answer requests without version, and key=<parameter> for the sticky key; ' +
      'a flag of triton-ts alone.',
  ),
  'model-config-name': text('', "Use a model's configs/<name>.pbtxt where it exists."),
  'model-load-thread-count': int(4, 'Model versions loaded at the same time.'),
  'model-load-retry-count': int(0, 'Further tries after a model failed to load.'),
  'model-namespacing': bool(
    false,
    'Allow one model name in several repositories: models are told apart by repository.',
  ),
  'enable-peer-access': bool(true, 'Let GPUs reach the memory of each other.', noGpu),
}

/** Where backends are, and their settings. */
export const backendFlags = {
  'backend-directory': text('/opt/tritonserver/backends', 'Where backend libraries are: <name>/libtriton_<name>.so.'),
  'backend-config': list('<backend>,<key>=<value>', 'A setting of a backend; without <backend> it holds for all.'),
}

/** Where repository agents are. */
export const agentFlags = {
  'repoagent-directory': text(
    '/opt/tritonserver/repoagents',
    'Where repository agents are. "checksum" is built in.',
    noAgentLibraries,
  ),
}
