// The bill of an operation other than text, read from the provider's words alone. It shares no code with src/, so that
// a fault of a reader there is not repeated here. The rules are those of the providers' pages, seen 2026-11-28.
import { fieldsOf, listOf } from '../../long/price-truth/read-bill.ts'

/** Counts by the class or the unit that each is billed at. */
export interface OperationBill {
  readonly tokens: Readonly<Record<string, bigint>>
  readonly calls: Readonly<Record<string, bigint>>
}

function whole(value: unknown): bigint {
  return typeof value === 'number' && value > 0 ? BigInt(Math.ceil(value)) : 0n
}

/** Words and pictures in and out, at four rates. Output that is not described is pictures. */
export function readImageBill(answer: unknown): OperationBill {
  const usage = fieldsOf(fieldsOf(answer)['usage'])
  const [input, output] = [fieldsOf(usage['input_tokens_details']), fieldsOf(usage['output_tokens_details'])]
  const words = whole(output['text_tokens'])
  return {
    tokens: {
      input: whole(usage['input_tokens']) - whole(input['image_tokens']),
      inputImage: whole(input['image_tokens']),
      output: words,
      outputImage: whole(usage['output_tokens']) - words,
    },
    calls: {},
  }
}

/** Output is sound. */
export function readSpeechBill(event: unknown): OperationBill {
  const usage = fieldsOf(fieldsOf(event)['usage'])
  return {
    tokens: { input: whole(usage['input_tokens']), outputAudio: whole(usage['output_tokens']) },
    calls: {},
  }
}

/** Characters are those of Unicode. */
export function readSpokenBill(input: string): OperationBill {
  return { tokens: {}, calls: { character: BigInt([...input].length) } }
}

/** Tokens, of which some are sound, or seconds begun. */
export function readTranscriptBill(answer: unknown): OperationBill {
  const usage = fieldsOf(fieldsOf(answer)['usage'])
  if (usage['type'] === 'duration') return { tokens: {}, calls: { audio_second: whole(usage['seconds']) } }
  const sound = whole(fieldsOf(usage['input_token_details'])['audio_tokens'])
  return {
    tokens: {
      input: whole(usage['input_tokens']) - sound,
      inputAudio: sound,
      output: whole(usage['output_tokens']),
    },
    calls: {},
  }
}

/** Cohere bills units, the others tokens. */
export function readRankBill(answer: unknown): OperationBill {
  const { meta, usage } = fieldsOf(answer)
  return {
    tokens: { input: whole(fieldsOf(usage)['total_tokens']) },
    calls: { search_unit: whole(fieldsOf(fieldsOf(meta)['billed_units'])['search_units']) },
  }
}

/** Each of text, sound and pictures, those that were cached apart. Cached pictures cost what cached text does. */
export function readRealtimeBill(usage: unknown): OperationBill {
  const fields = fieldsOf(usage)
  const input = fieldsOf(fields['input_token_details'])
  const cached = fieldsOf(input['cached_tokens_details'])
  const output = fieldsOf(fields['output_token_details'])
  const [cachedText, cachedSound, cachedImages] = [
    whole(cached['text_tokens']),
    whole(cached['audio_tokens']),
    whole(cached['image_tokens']),
  ]
  return {
    tokens: {
      input: whole(input['text_tokens']) - cachedText,
      inputAudio: whole(input['audio_tokens']) - cachedSound,
      inputImage: whole(input['image_tokens']) - cachedImages,
      cacheRead: cachedText + cachedImages,
      cacheReadAudio: cachedSound,
      output: whole(output['text_tokens']),
      outputAudio: whole(output['audio_tokens']),
    },
    calls: {},
  }
}

/** Thoughts are beside the answer, and what tools brought in beside the prompt. */
export function readLiveBill(usage: unknown): OperationBill {
  const fields = fieldsOf(usage)
  const soundIn = modalityOf(fields['promptTokensDetails'], 'AUDIO')
  const imagesIn = modalityOf(fields['promptTokensDetails'], 'IMAGE')
  const soundOut = modalityOf(fields['responseTokensDetails'], 'AUDIO')
  return {
    tokens: {
      input:
        whole(fields['promptTokenCount']) + whole(fields['toolUsePromptTokenCount']) - soundIn - imagesIn,
      inputAudio: soundIn,
      inputImage: imagesIn,
      output: whole(fields['responseTokenCount']) - soundOut,
      outputAudio: soundOut,
      reasoning: whole(fields['thoughtsTokenCount']),
    },
    calls: {},
  }
}

function modalityOf(details: unknown, name: string): bigint {
  return listOf(details)
    .map(fieldsOf)
    .filter(({ modality }) => modality === name)
    .reduce((sum, { tokenCount }) => sum + whole(tokenCount), 0n)
}
