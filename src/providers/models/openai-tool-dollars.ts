/**
 * The prices of OpenAI's tools that are not billed by tokens (https://developers.openai.com/api/docs/pricing, seen
 * 2026-11-23).
 */
export const openaiToolDollars: Readonly<Record<string, number>> = { file_search: 0.0025 }
