import { extrasOf } from '../../fields/extras.ts'

export const { toExtras } = extrasOf('cohere')
