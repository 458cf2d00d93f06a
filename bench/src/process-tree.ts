import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts the processor time of processes in hundredths of a second. */
const tickMicroseconds = 10_000

/** User and system time of a process and all that it has started, so far, in microseconds. Linux only. */
export function treeCpu(root: number): number {
  const processes = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readProcess(Number(name)) : []))
  const members = new Set([root])
  // A parent usually has a lower id, but need not.
  for (let size = 0; size < members.size; ) {
    size = members.size
    for (const { pid, parent } of processes) if (members.has(parent)) members.add(pid)
  }
  let ticks = 0
  for (const { pid, ticks: own } of processes) if (members.has(pid)) ticks += own
  return ticks * tickMicroseconds
}

/** Memory of a process that is in use, in MB. Linux only. */
export function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024
}

function readProcess(pid: number): { pid: number; parent: number; ticks: number }[] {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return [{ pid, parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }]
  } catch {
    // It has ended.
    return []
  }
}
