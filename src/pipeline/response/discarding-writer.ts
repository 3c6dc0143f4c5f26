import type { ResponseWriter } from './response-writer.ts'

/** The writer of an answer that is not sent to a caller: its lane reads it. */
export const discardingWriter: Pick<
  ResponseWriter,
  'hasContent' | 'writeStream' | 'endStream' | 'sendWhole'
> = {
  hasContent: false,
  writeStream: () => true,
  endStream: () => undefined,
  sendWhole: () => undefined,
}
