import type { KeyView } from '../../../../src/admin/contract.ts'
import type { Tone } from '../../ui/badge.tsx'

export const statusTones: Readonly<Record<KeyView['status'], Tone>> = {
  active: 'good',
  disabled: 'neutral',
  expired: 'warn',
  revoked: 'bad',
}
