import { readdir, readFile } from 'node:fs/promises'

/** Ids of the processes of the Python backend that a process has started and that live. */
export async function stubsOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0)
  const found = await Promise.all(pids.map(async (pid) => ((await isStubOf(pid, parent)) ? [pid] : [])))
  return found.flat()
}

async function isStubOf(pid: number, parent: number): Promise<boolean> {
  const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')
  const [command, status] = await Promise.all([read('cmdline'), read('status')])
  return /triton_python_backend_stub|triton_ts\/stub\.py/.test(command) && status.includes(`\nPPid:\t${parent}\n`)
}
