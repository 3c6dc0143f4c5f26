import type { Tone } from '../../ui/badge.tsx'

/** The tone of an HTTP status. Errors of the caller are not shown as alarming. */
export function toneOfStatus(status: number): Tone {
  if (status >= 500) return 'bad'
  return status >= 400 ? 'warn' : 'good'
}
