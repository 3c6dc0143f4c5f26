import { elementsOf, type JsonSpan, membersOf, stringOf } from '../../../kit/json/json-spans.ts'
import type { NamedObject } from '../../verbatim/named-object.ts'

/**
 * Finds, in the bytes of a request of the messages format, the files that it names for the model to read
 * (https://platform.claude.com/docs/en/build-with-claude/files, seen 2026-11-25). The input and the output of a tool
 * may have a `file_id` member too, which means nothing here.
 */
export function findFileIds(bytes: Buffer): readonly NamedObject[] {
  const found: NamedObject[] = []
  const messages = membersOf(bytes, { start: 0, end: bytes.length }).get('messages')
  if (messages === undefined) return found
  for (const message of elementsOf(bytes, messages)) {
    const content = membersOf(bytes, message).get('content')
    if (content !== undefined) findInBlocks(bytes, content, { found, deeper: MAX_DEEPER })
  }
  return found
}

/** The nesting to search: a tool result may hold a document, which holds blocks. Deeper levels are left out. */
const MAX_DEEPER = 2

interface Search {
  readonly found: NamedObject[]
  /** The number of nested levels still to search. */
  readonly deeper: number
}

function findInBlocks(bytes: Buffer, blocks: JsonSpan, { found, deeper }: Search): void {
  if (deeper < 0) return
  const inner = { found, deeper: deeper - 1 }
  for (const block of elementsOf(bytes, blocks)) {
    const members = membersOf(bytes, block)
    const type = stringOf(bytes, members.get('type'))
    if (type === 'container_upload') add(bytes, members.get('file_id'), found)
    const content = members.get('content')
    if (type === 'tool_result' && content !== undefined) findInBlocks(bytes, content, inner)
    const source = members.get('source')
    if (source === undefined) continue
    const sourceMembers = membersOf(bytes, source)
    const inDocument = sourceMembers.get('content')
    if (inDocument !== undefined) findInBlocks(bytes, inDocument, inner)
    if (stringOf(bytes, sourceMembers.get('type')) === 'file') add(bytes, sourceMembers.get('file_id'), found)
  }
}

function add(bytes: Buffer, span: JsonSpan | undefined, found: NamedObject[]): void {
  const id = stringOf(bytes, span)
  if (span !== undefined && id !== undefined) found.push({ ...span, type: 'message-file', id, written: id })
}
