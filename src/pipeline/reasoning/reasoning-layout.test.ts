import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AssistantBlock } from '../../canonical/content.ts'
import { isReasoning, layOutReasoning, restoreReasoning } from './reasoning-layout.ts'

/** `t` signed thinking, `h` redacted, `w` words, `c` a call. */
function contentOf(shape: string): readonly AssistantBlock[] {
  return [...shape].map((letter, index): AssistantBlock => {
    if (letter === 't') return { type: 'thinking', text: `t${index}`, signature: `s${index}` }
    if (letter === 'h') return { type: 'redacted-thinking', data: `h${index}` }
    if (letter === 'w') return { type: 'text', text: `w${index}` }
    return { type: 'tool-call', id: `c${index}`, name: 'f', kind: 'function', input: '{}' }
  })
}

function shapeOf(content: readonly AssistantBlock[]): string {
  return content
    .map(({ type }) => ({ thinking: 't', 'redacted-thinking': 'h', text: 'w' })[String(type)] ?? 'c')
    .join('')
}

function restore(shape: string, keeps: (block: AssistantBlock) => boolean): string {
  const content = contentOf(shape)
  const layout = layOutReasoning(content, { wantsWords: false })
  return layout === undefined ? '' : shapeOf(restoreReasoning(content.filter(keeps), layout))
}

describe('the layout of reasoning', () => {
  it('restores an answer exactly when its texts and calls come back', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('t', 'h', 'w', 'c'), maxLength: 12 }), (shape) => {
        const content = contentOf(shape)
        const layout = layOutReasoning(content, { wantsWords: false })
        if (layout === undefined) return
        expect(
          restoreReasoning(
            content.filter((block) => !isReasoning(block)),
            layout,
          ),
        ).toEqual(content)
      }),
      { numRuns: 2_000 },
    )
  })

  it('replaces returned text that has no proof', () => {
    const unsigned: AssistantBlock = { type: 'thinking', text: 't0' }
    const layout = layOutReasoning(contentOf('tc'), { wantsWords: false })
    expect(layout && shapeOf(restoreReasoning([unsigned, ...contentOf(' c').slice(1)], layout))).toBe('tc')
  })

  it('puts reasoning before a call or the end when the text behind it is gone', () => {
    expect(restore('twhwc', ({ type }) => type === 'tool-call')).toBe('thc')
    expect(restore('twctw', ({ type }) => type === 'tool-call')).toBe('ttc')
    expect(restore('ch', ({ type }) => type === 'tool-call')).toBe('ch')
  })

  it('is empty when no reasoning is proved', () => {
    expect(
      layOutReasoning([{ type: 'thinking', text: 'Hm.' }, ...contentOf('wc')], { wantsWords: false }),
    ).toBeUndefined()
  })
})
