import { beforeAll, describe, expect, it } from 'vitest'
import { speak } from '../language/language.ts'
import { ApiError } from './api-error.ts'
import { explainError } from './describe-error.ts'

// Node has no page, whose language is set.
Object.assign(globalThis, { document: { documentElement: {} } })

const refused = { status: 409, message: 'As the gateway says it.' }

function withFact(
  code: string,
  path: string,
  fact: { code: string; values: Record<string, string | string[]> },
) {
  return new ApiError({ ...refused, code, problems: [{ path, message: 'as the gateway says it', fact }] })
}

describe('an error in Chinese', () => {
  beforeAll(() => speak('zh'))

  it('leaves out the English message when the code alone explains the error', () => {
    expect(explainError(new ApiError({ ...refused, code: 'user_not_found' }))).toBe('没有这个用户。')
  })

  it('names the object that already exists', () => {
    const fact = { code: 'name_in_use', values: { kind: 'channel', name: 'main' } }
    expect(explainError(withFact('name_taken', 'name', fact))).toBe(
      '此名称已被使用，请换一个。 已有名为 main 的渠道，请换一个名称。',
    )
  })

  it('names the required role and the role of the user', () => {
    const fact = { code: 'role_needed', values: { roles: ['owner', 'admin'], role: 'viewer' } }
    expect(explainError(withFact('not_permitted', '', fact))).toBe(
      '您的角色无权执行此操作。 此操作需要的角色：所有者, 管理员。您的角色：只读。请联系所有者或管理员。',
    )
  })

  it('names each object that a later version changed', () => {
    const fact = { code: 'changed_later', values: { version: '3' } }
    expect(explainError(withFact('undo_conflict', 'channels.main', fact))).toBe(
      '未作任何更改：后来的版本修改了相同的对象。 channels.main: 此项在版本 3 之后又被修改。',
    )
  })

  it('describes the outcome of a sign-in at an identity provider', () => {
    const said = explainError(new ApiError({ ...refused, code: 'identity_provider_unavailable' }))
    expect(said).toContain('身份提供方没有响应')
    expect(said).not.toContain(refused.message)
  })

  it('of a model request includes the message, which may come from the provider', () => {
    expect(explainError(new ApiError({ ...refused, code: 'upstream_rejected' }))).toBe(
      `供应商拒绝了请求。 ${refused.message}`,
    )
    expect(explainError(new ApiError({ ...refused, code: 'invalid_field' }))).toContain(refused.message)
  })

  it('is the message of the gateway when the console does not know the code', () => {
    expect(explainError(new ApiError({ ...refused, code: 'unheard_of' }))).toBe(refused.message)
  })
})

it('an error in English is the message of the gateway', async () => {
  await speak('en')
  const fact = { code: 'name_in_use', values: { kind: 'channel', name: 'main' } }
  expect(explainError(withFact('name_taken', 'name', fact))).toBe(refused.message)
})

describe('an error in English', () => {
  beforeAll(() => speak('en'))

  it.each([502, 503, 504])(
    'says of a page that a proxy shows with %d that the gateway does not answer',
    (status) => {
      expect(explainError(new ApiError({ code: 'unreadable', status, message: 'Away' }))).toBe(
        `The gateway does not answer. Check that it runs and that you are connected to its network, then try again. (${status} Away)`,
      )
    },
  )

  it('says of any other page that the gateway may have been updated', () => {
    expect(explainError(new ApiError({ code: 'unreadable', status: 200, message: 'OK' }))).toMatch(
      /load the page again/,
    )
  })
})
