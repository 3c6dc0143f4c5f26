/**
 * The billing unit of images that are not billed by tokens. Prices and `Usage.toolCalls` use this name, as they do
 * for the units below.
 */
export const IMAGE_UNIT = 'image'
/** One second of transcribed audio. */
export const SECOND_UNIT = 'audio_second'
/** One spoken character. */
export const CHARACTER_UNIT = 'character'
