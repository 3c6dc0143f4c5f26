import { deepgramSpeech, deepgramTranscriptions } from '../../../wire/audio-channels/deepgram.ts'
import { defaultDialect } from '../../../wire/dialect.ts'
import type { Provider } from '../../provider.ts'

/** Deepgram transcribes and synthesizes speech. It has no conversations. */
export const deepgram: Provider = {
  id: 'deepgram',
  formats: ['chat'],
  baseUrl: 'https://api.deepgram.com',
  environmentKey: 'DEEPGRAM_API_KEY',
  auth: 'token',
  needsKey: true,
  models: ['nova-3', 'nova-3-medical', 'nova-2', 'aura-2', 'aura-2-thalia-en', 'aura-2-andromeda-en'],
  endpoints: { transcriptions: deepgramTranscriptions, speech: deepgramSpeech },
  steeringFields: [],
  dialect: () => defaultDialect,
  prices: {
    litellm: ['deepgram'],
    litellmPrefix: 'deepgram',
    // Each voice has the price of its family.
    namesOf: (model) => [model.replace(/^(aura(?:-\d+)?)-.+$/, '$1')],
  },
  sources: {
    seen: '2026-11-24',
    pages: [
      'https://developers.deepgram.com/reference/speech-to-text/listen-pre-recorded',
      'https://developers.deepgram.com/docs/text-to-speech',
    ],
  },
}
