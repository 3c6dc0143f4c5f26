import { createHash } from 'node:crypto'

/** The tool names that the provider accepts (https://docs.cohere.com/reference/errors, seen 2026-11-20). */
const ACCEPTED = /^[A-Za-z_][A-Za-z0-9_]*$/
const MARK_CHARACTERS = 8

/**
 * A tool's name with only the characters that the provider accepts. An accepted name stays unchanged. Another name
 * always maps to the same new name, and different names map to different names.
 */
export function fitToolName(name: string): string {
  if (ACCEPTED.test(name)) return name
  const mark = createHash('sha256').update(name).digest('hex').slice(0, MARK_CHARACTERS)
  const letters = name.replace(/[^A-Za-z0-9_]/g, '_').replace(/^(?=\d)/, '_')
  return `${letters}_${mark}`
}
