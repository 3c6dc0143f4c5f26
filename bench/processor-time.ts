import { readdirSync, readFileSync } from 'node:fs'

/** Processor time of a whole process, all its threads, in microseconds (Linux, /proc/PID/task/TID/schedstat). */
export function processorTimeUs(pid: number): number {
  let totalNs = 0
  for (const thread of readdirSync(`/proc/${pid}/task`)) totalNs += threadTimeNs(pid, thread)
  return totalNs / 1_000
}

/** Processor time of the thread that a process began with, in microseconds. */
export function mainThreadTimeUs(pid: number): number {
  return threadTimeNs(pid, String(pid)) / 1_000
}

function threadTimeNs(pid: number, thread: string): number {
  const [ranNs] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
  return Number(ranNs)
}

/** Resident memory of a process in bytes. */
export function residentBytes(pid: number): number {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(line?.[1] ?? 0) * 1_024
}

/** The processes that a process has started and that still run (Linux). */
export function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number)
}
