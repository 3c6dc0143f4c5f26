// The bus through which this process shares its findings with the other processes of its installation.
import type { ProcessBus } from '../nodes/process-bus.ts'
import type { SharedState } from '../nodes/shared-state.ts'
import type { ProcessPart } from './process-part.ts'

export interface Peers {
  readonly bus: ProcessBus
  /** Whether this process does the work that only one process must do: it checks channels, and looks at batches. */
  readonly isMine: () => boolean
}

/** Undefined if this is the only process. */
export function findPeers(
  part: Pick<ProcessPart, 'type' | 'bus'> | undefined,
  shared: Pick<SharedState, 'bus' | 'work'> | undefined,
): Peers | undefined {
  if (shared?.bus !== undefined) return { bus: shared.bus, isMine: shared.work.isMine }
  return part && { bus: part.bus, isMine: () => part.type === 'owner' }
}
