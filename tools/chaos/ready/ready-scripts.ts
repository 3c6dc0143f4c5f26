import { bodyFaults } from './body-faults.ts'
import { connectionFaults } from './connection-faults.ts'
import { lifecycleFaults } from './lifecycle-faults.ts'
import type { ReadyScript } from './ready-script.ts'
import { statusFaults } from './status-faults.ts'
import { streamFaults } from './stream-faults.ts'
import { transportFaults } from './transport-faults.ts'

/** A script for each row of the fault table that an upstream can cause, in the order of the table. */
export const readyScripts: readonly ReadyScript[] = [
  ...connectionFaults,
  ...bodyFaults,
  ...statusFaults,
  ...streamFaults,
  ...transportFaults,
  ...lifecycleFaults,
].sort((left, right) => rowOf(left) - rowOf(right))

function rowOf({ id }: ReadyScript): number {
  return Number(id.slice(1))
}
