import type { Outlet } from './response-writer.ts'

/** For an answer that nobody sees: its lane reads it. */
export const silentOutlet: Pick<Outlet, 'hasContent' | 'writeStream' | 'endStream' | 'sendWhole'> = {
  hasContent: false,
  writeStream: () => true,
  endStream: () => undefined,
  sendWhole: () => undefined,
}
