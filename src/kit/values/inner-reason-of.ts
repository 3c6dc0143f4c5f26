import { reasonOf } from './reason-of.ts'

/** What the error behind an error says, where there is one: the outer one is worded for callers. */
export function innerReasonOf(error: unknown): string {
  return reasonOf(error instanceof Error && error.cause instanceof Error ? error.cause : error)
}
