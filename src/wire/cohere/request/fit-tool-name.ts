import { createHash } from 'node:crypto'

/** The letters that the provider takes for a tool (https://docs.cohere.com/reference/errors, seen 2026-11-20). */
const ACCEPTED = /^[A-Za-z_][A-Za-z0-9_]*$/
const MARK_CHARACTERS = 8

/**
 * A tool's name in the provider's letters: itself where it is, else always the same, and another for each other one.
 */
export function fitToolName(name: string): string {
  if (ACCEPTED.test(name)) return name
  const mark = createHash('sha256').update(name).digest('hex').slice(0, MARK_CHARACTERS)
  const letters = name.replace(/[^A-Za-z0-9_]/g, '_').replace(/^(?=\d)/, '_')
  return `${letters}_${mark}`
}
