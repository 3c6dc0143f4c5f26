// The parts of processes, as the supervisor and operators see them.
import type { ListenSetting } from '../listen-error.ts'
import type { PartType } from '../workers/part-messages.ts'
import type { PartProcess } from './part-process.ts'

/** Whether a process accepts connections to an address. Those of operators go to the owner, if there is one. */
export function accepts(
  { state, order: { part } }: Pick<PartProcess, 'state' | 'order'>,
  setting: ListenSetting,
): boolean {
  if (state !== 'ready') return false
  return part === 'node' || (setting === 'listen' ? part === 'worker' : part === 'owner')
}

export function nameOfPart(part: PartType): string {
  return part === 'owner' ? 'the process that owns the files' : 'a process that serves callers'
}
