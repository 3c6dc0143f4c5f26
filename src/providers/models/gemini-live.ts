import { modelName } from '../../wire/gemini/values/model-path.ts'
import type { LiveEndpoint } from '../provider.ts'

const SERVICE = 'google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent'

/** Google AI Studio's path of Live sessions and its version (https://ai.google.dev/api/live, seen 2026-11-25). */
export const geminiLive: LiveEndpoint = {
  pathOf({ channel }) {
    const { pathname } = new URL(channel.baseUrl)
    return `${pathname.replace(/\/+$/, '').replace(/\/v1(?:beta|alpha)?$/, '')}/ws/${SERVICE}`
  },
  modelOf: ({ upstreamModel }) => modelName(upstreamModel),
}
