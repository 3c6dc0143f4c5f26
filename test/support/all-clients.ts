import Anthropic from '@anthropic-ai/sdk'
import { ApiError } from '@google/genai'
import OpenAI from 'openai'
import type { FormatId } from '../../src/canonical/format.ts'
import { askGemini } from './ask-gemini.ts'
import { type Ask, askWithClients } from './ask-with-clients.ts'

/** The official client of every format that callers speak, in front of the gateway at this address. */
export function allClients(url: string): Readonly<Record<FormatId, Ask>> {
  return { ...askWithClients(url), gemini: askGemini(url) }
}

/** The error class of each client. */
export const clientErrors = {
  chat: OpenAI.OpenAIError,
  messages: Anthropic.APIError,
  responses: OpenAI.OpenAIError,
  gemini: ApiError,
} as const satisfies Record<FormatId, unknown>
