import { expect, it } from 'vitest'
import { writeRequest as writeChatRequest } from '../chat/request/write-request.ts'
import { defaultDialect } from '../dialect.ts'
import { writeRequest as writeGeminiRequest } from '../gemini/request/write-request.ts'
import { readRequest } from '../responses/request/read-request.ts'

const target = { model: 'm', dialect: defaultDialect }
const LOGPROBS = 'message.output_text.logprobs'

it.each([
  [{ top_logprobs: 3 }, undefined, ['logprobs']],
  [{ top_logprobs: 0 }, undefined, ['logprobs']],
  [{ top_logprobs: 3, include: [LOGPROBS] }, 3, []],
  [{ include: [LOGPROBS] }, undefined, []],
])('a number of likely tokens is asked for beside log probabilities alone: %j', (fields, number, lost) => {
  const request = readRequest({ model: 'm', input: 'Hi', ...fields })
  const chat = writeChatRequest(request, target)
  expect(chat.value['top_logprobs']).toBe(number)
  expect(chat.losses.map(({ feature }) => feature)).toEqual(lost)
  const gemini = writeGeminiRequest(request, target)
  expect(gemini.value['generationConfig'] ?? {}).toMatchObject(
    number === undefined ? {} : { logprobs: number },
  )
  expect(JSON.stringify(gemini.value).includes('"logprobs"')).toBe(number !== undefined)
  expect(gemini.losses.map(({ feature }) => feature)).toEqual(lost)
})
