import { extrasOf } from '../../fields/extras.ts'

/**
 * Both operations share their fields. No channel accepts them, so all of them are lost, and each loss names its field.
 */
export const { toExtras } = extrasOf('ollama-chat')
