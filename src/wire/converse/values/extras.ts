import { extrasOf } from '../../fields/extras.ts'

export const { toExtras, withExtras } = extrasOf('converse')
