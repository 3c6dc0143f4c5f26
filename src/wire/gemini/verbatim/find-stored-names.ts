import { elementsOf, type JsonSpan, membersOf, stringOf } from '../../../kit/json/json-spans.ts'
import type { NamedObject } from '../../verbatim/named-object.ts'

/**
 * Finds, in the bytes of a request of the Gemini format, the names of files and of cached content
 * (https://ai.google.dev/api/generate-content, seen 2026-11-25). URLs that do not name a stored file are left out.
 */
export function findStoredNames(bytes: Buffer): readonly NamedObject[] {
  const found: NamedObject[] = []
  const body = membersOf(bytes, { start: 0, end: bytes.length })
  findInRequest(bytes, body, found)
  // A token count may hold a whole request.
  const inner = memberOf(body, 'generatecontentrequest', 'generate_content_request')
  if (inner !== undefined) findInRequest(bytes, membersOf(bytes, inner), found)
  return found
}

type Members = ReadonlyMap<string, JsonSpan>

function findInRequest(bytes: Buffer, members: Members, found: NamedObject[]): void {
  addName(bytes, memberOf(members, 'cachedcontent', 'cached_content'), found)
  const contents = members.get('contents')
  if (contents !== undefined)
    for (const content of elementsOf(bytes, contents)) findInParts(bytes, content, found)
  const system = memberOf(members, 'systeminstruction', 'system_instruction')
  if (system !== undefined) findInParts(bytes, system, found)
}

function findInParts(bytes: Buffer, holder: JsonSpan, found: NamedObject[], isInAnswer = false): void {
  const parts = membersOf(bytes, holder).get('parts')
  if (parts === undefined) return
  for (const part of elementsOf(bytes, parts)) {
    const members = membersOf(bytes, part)
    const data = memberOf(members, 'filedata', 'file_data')
    if (data !== undefined) addFile(bytes, memberOf(membersOf(bytes, data), 'fileuri', 'file_uri'), found)
    // The parts inside a function response cannot hold another function response.
    const answer = isInAnswer ? undefined : memberOf(members, 'functionresponse', 'function_response')
    if (answer !== undefined) findInParts(bytes, answer, found, true)
  }
}

function memberOf(members: Members, name: string, other: string): JsonSpan | undefined {
  return members.get(name) ?? members.get(other)
}

/**
 * The URL of a file at Google or at a gateway such as this one, or the bare name, which Google accepts too. What
 * follows the name is not read, so that the time grows linearly with a text that a caller chooses.
 */
const FILE = /^(?:https?:\/\/[^/?#]+\/(?:[\w.-]+\/)*v1\w*\/)?files\/([\w-]+)(?=[:/?#]|$)/

function addFile(bytes: Buffer, span: JsonSpan | undefined, found: NamedObject[]): void {
  const written = stringOf(bytes, span)
  const id = written === undefined ? undefined : FILE.exec(written)?.[1]
  if (span === undefined || written === undefined || id === undefined) return
  found.push({ ...span, type: 'gemini-file', id, written })
}

function addName(bytes: Buffer, span: JsonSpan | undefined, found: NamedObject[]): void {
  const written = stringOf(bytes, span)
  if (span === undefined || written === undefined || written === '') return
  found.push({ ...span, type: 'cached-content', id: written.replace(/^cachedContents\//, ''), written })
}
