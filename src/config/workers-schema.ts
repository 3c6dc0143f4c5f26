import { availableParallelism } from 'node:os'
import { z } from 'zod'
import { offSchema } from '../kit/schema/off-schema.ts'

const MAX_WORKERS = 64
const explanation = `must be "auto", a number from 1 to ${MAX_WORKERS}, or off`

/**
 * The number of processes that serve callers: one for each core, a fixed number, or `off` for a single process that
 * does everything.
 */
export const workersSchema = z.union(
  [
    z.literal('auto'),
    z.int().min(1, { error: explanation }).max(MAX_WORKERS, { error: explanation }),
    offSchema,
  ],
  { error: explanation },
)

export type WorkersInput = z.output<typeof workersSchema>

/** Reads a flag or a variable. Undefined where its text is invalid. */
export function readWorkers(text: string): WorkersInput | undefined {
  return workersSchema.safeParse(/^\d+$/.test(text) ? Number(text) : text).data
}

/** The number of worker processes. Undefined where one process does everything. */
export function countWorkers(input: WorkersInput | undefined): number | undefined {
  if (input === 'auto') return Math.min(MAX_WORKERS, availableParallelism())
  return typeof input === 'number' ? input : undefined
}

export const WORKERS_EXPLANATION = explanation
