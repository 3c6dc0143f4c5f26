import type { KeyView } from '../../../../src/admin/keys/key-contract.ts'
import type { Tone } from '../../ui/badge.tsx'

export const statusTones: Readonly<Record<KeyView['status'], Tone>> = {
  active: 'good',
  disabled: 'neutral',
  expired: 'warn',
  revoked: 'bad',
}
