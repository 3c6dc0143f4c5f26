import type { RealtimeEndpoint } from '../provider.ts'

/** OpenAI's path of realtime sessions (https://platform.openai.com/docs/guides/realtime-websocket, seen 2026-11-25). */
export const openaiRealtime: RealtimeEndpoint = {
  pathOf: ({ upstreamModel }) => `/realtime?model=${encodeURIComponent(upstreamModel)}`,
}
