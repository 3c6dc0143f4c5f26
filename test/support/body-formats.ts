/**
 * Formats whose requests say model and stream in their bodies, so that one body and one path do for a test of them all.
 */
export const bodyFormatIds = ['chat', 'messages', 'responses'] as const
export type BodyFormatId = (typeof bodyFormatIds)[number]
