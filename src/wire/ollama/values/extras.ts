import { extrasOf } from '../../fields/extras.ts'

/** Both operations share their fields; no channel takes them, so that all of them are lost, each by its name. */
export const { toExtras } = extrasOf('ollama-chat')
