/**
 * Units by which images and sound are billed where they are not billed by tokens. Prices and `Usage.toolCalls` have
 * them by these names.
 */
export const IMAGE_UNIT = 'image'
/** A second of sound that is transcribed. */
export const SECOND_UNIT = 'audio_second'
/** A character that is spoken. */
export const CHARACTER_UNIT = 'character'
