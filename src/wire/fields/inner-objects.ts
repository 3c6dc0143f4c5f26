import type { FieldOwner } from '../../canonical/format.ts'

/**
 * The inner objects of a format whose unknown members are stored under the object's name. The value is the member
 * without which the object has no effect; null where every member has an effect by itself.
 */
export type InnerObjects = Readonly<Record<string, string | null>>

export const innerObjects: Readonly<Partial<Record<FieldOwner, InnerObjects>>> = {
  chat: {
    cache_control: 'type',
    custom: 'name',
    document_url: 'url',
    file: 'file_id',
    function: 'name',
    image_url: 'url',
    input_audio: 'data',
    json_schema: 'name',
    response_format: 'type',
    stream_options: null,
    url_citation: 'url',
    video_url: 'url',
  },
  messages: {
    cache_control: 'type',
    format: 'type',
    metadata: null,
    output_config: null,
    source: 'type',
    thinking: 'type',
    tool_choice: 'type',
  },
  gemini: {
    fileData: 'fileUri',
    functionCall: 'name',
    functionCallingConfig: 'mode',
    functionResponse: 'name',
    generationConfig: null,
    inlineData: 'data',
    thinkingConfig: null,
    toolConfig: null,
  },
  converse: {
    additionalModelRequestFields: null,
    inferenceConfig: null,
    outputConfig: null,
    reasoningConfig: 'type',
    reasoning_config: 'type',
    thinking: 'type',
  },
  'ollama-chat': { function: null, options: null },
  // `message` holds the fields of the item that contained the block.
  responses: { format: 'type', message: null, reasoning: null, text: null },
}
