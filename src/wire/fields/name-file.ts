import type { MediaSource } from '../../canonical/content.ts'
import type { LossList } from '../../canonical/loss.ts'

/**
 * The endings of files by media type, as far as OpenAI accepts them
 * (https://developers.openai.com/api/docs/guides/file-inputs, seen 2026-11-29).
 */
const endings: ReadonlyMap<string, string> = new Map([
  ['application/pdf', 'pdf'],
  ['text/plain', 'txt'],
  ['text/markdown', 'md'],
  ['text/csv', 'csv'],
  ['text/html', 'html'],
  ['text/xml', 'xml'],
  ['application/xml', 'xml'],
  ['application/json', 'json'],
  ['application/rtf', 'rtf'],
  ['text/rtf', 'rtf'],
  ['application/msword', 'doc'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/vnd.ms-excel', 'xls'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  ['application/vnd.ms-powerpoint', 'ppt'],
  ['application/vnd.openxmlformats-officedocument.presentationml.presentation', 'pptx'],
])

const HAS_ENDING = /\.[a-z][a-z0-9]{0,7}$/i

/**
 * The name of a file that is sent by its bytes or its address. OpenAI demands a name and judges the type of a file by
 * its ending, which the titles of other formats may lack: those of Bedrock never have one.
 */
export function nameFile(title: string | undefined, source: MediaSource, losses: LossList): string {
  const ending = source.type === 'base64' ? endingOf(source.mediaType) : undefined
  if (title !== undefined && (ending === undefined || HAS_ENDING.test(title))) return title
  losses.lose('document', 'defaulted')
  return `${title ?? 'document'}.${ending ?? 'pdf'}`
}

/** The media type of a file by the ending of its name. Undefined for a name without a known ending. */
export function mediaTypeOfName(name: string): string | undefined {
  const ending = /\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase()
  return [...endings].find(([, known]) => known === ending)?.[0]
}

function endingOf(mediaType: string): string | undefined {
  const [type = ''] = mediaType.toLowerCase().split(';', 1)
  return endings.get(type.trim())
}
