import { fitCallId } from '../../tools/fit-call-id.ts'

const BEGINS_ACCEPTED = /^[A-Za-z_]/

/**
 * A tool's name as the service accepts it: letters, digits, `_` and `-`, and no digit or `-` at the beginning ("Invalid
 * function name. Must start with a letter or an underscore", github.com/CherryHQ/cherry-studio/issues/4087, seen
 * 2026-11-30). Different names stay different.
 */
export function fitToolName(name: string): string {
  if (BEGINS_ACCEPTED.test(name)) return fitCallId(name)
  // The space makes the name one that is never accepted, so that it gets a mark and cannot equal a tool named `_7zip`.
  return fitCallId(`_${name} `)
}
