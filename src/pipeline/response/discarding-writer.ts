import type { ResponseWriter } from './response-writer.ts'

/** The writer for an answer that is not sent to a caller. Only its lane reads the answer. */
export const discardingWriter: Pick<
  ResponseWriter,
  'hasContent' | 'prepareHead' | 'writeStream' | 'endStream' | 'sendWhole'
> = {
  hasContent: false,
  prepareHead: () => undefined,
  writeStream: () => true,
  endStream: () => undefined,
  sendWhole: () => undefined,
}
