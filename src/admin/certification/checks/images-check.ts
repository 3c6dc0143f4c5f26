import type { ObservedCall } from '../call-channel.ts'
import { ask, OUTPUT_TOKENS, saying } from './ask.ts'
import { type Check, type CheckVerdict, fails, works } from './check.ts'
import { includesWord, readAnswer, textOf } from './judge-answer.ts'
import { drawHalves } from './make-image.ts'

/** The colours are in the picture alone, so that no answer names them by chance. */
const left = { name: 'blue', rgb: [0x10, 0x30, 0xe0] } as const
const right = { name: 'yellow', rgb: [0xff, 0xe0, 0x10] } as const

/** Whether the model sees a picture. */
export const imagesCheck: Check = {
  name: 'images',
  bounds: { calls: 1, inputTokens: 2_000, outputTokens: OUTPUT_TOKENS },
  *run() {
    const data = drawHalves(left.rgb, right.rgb).toString('base64')
    const image = { type: 'image', source: { type: 'base64', mediaType: 'image/png', data } } as const
    const question = 'Which two colours does this picture show, the left half first? Say two words.'
    return judgeImage(yield ask([saying(question, image)], { needs: ['image'] }))
  },
}

export function judgeImage(call: ObservedCall): CheckVerdict {
  const answer = readAnswer(call)
  if (answer.type === 'judged') return answer.verdict
  const text = textOf(answer.reply)
  const hasSeen = [left, right].every(({ name }) => includesWord(text, name))
  return hasSeen ? works('image_seen') : fails('image_not_seen')
}
