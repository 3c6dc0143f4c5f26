import { elevenlabsSpeech, elevenlabsTranscriptions } from '../../../wire/audio-channels/elevenlabs.ts'
import { defaultDialect } from '../../../wire/dialect.ts'
import type { Provider } from '../../provider.ts'

/** ElevenLabs synthesizes and transcribes speech. It has no conversations. */
export const elevenlabs: Provider = {
  id: 'elevenlabs',
  formats: ['chat'],
  baseUrl: 'https://api.elevenlabs.io',
  environmentKey: 'ELEVENLABS_API_KEY',
  auth: 'xi-api-key',
  needsKey: true,
  models: ['eleven_v3', 'eleven_multilingual_v2', 'eleven_flash_v2_5', 'scribe_v1', 'scribe_v2'],
  endpoints: { transcriptions: elevenlabsTranscriptions, speech: elevenlabsSpeech },
  steeringFields: [],
  dialect: () => defaultDialect,
  prices: { litellm: ['elevenlabs'], litellmPrefix: 'elevenlabs' },
  sources: {
    seen: '2026-11-24',
    pages: [
      'https://elevenlabs.io/docs/api-reference/speech-to-text/convert',
      'https://elevenlabs.io/docs/api-reference/text-to-speech/stream',
    ],
  },
}
