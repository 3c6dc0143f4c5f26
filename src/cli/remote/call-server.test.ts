import { expect, test } from 'vitest'
import { ConnectionRefusedError, createCallServer } from './call-server.ts'

const nowhere = { adminUrl: 'http://127.0.0.1:1', certificate: undefined, token: 'admin-token-0123456789' }

function revoke(name: string): Promise<unknown> {
  const path = `/keys/${encodeURIComponent(name)}?at=a/../b`
  return createCallServer(nowhere)({ method: 'DELETE', path }, { safeParse: () => ({ success: false }) })
}

test.each(['', '.', '..'])(
  'the name "%s" is refused, as its path is that of another operation',
  async (name) => {
    await expect(revoke(name)).rejects.toThrow(`the name or ID "${name}" names nothing; see the help`)
  },
)

test.each(['ci', '...', 'a/..', '%2e'])('the name "%s" is sent to the server', async (name) => {
  await expect(revoke(name)).rejects.toThrow(ConnectionRefusedError)
})
