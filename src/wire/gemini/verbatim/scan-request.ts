import { requestFields } from '../request/request-fields.ts'
import { createTermsScan } from './scan-terms.ts'

/** Scans for every field of the format, since each affects routing, behavior or price, or is the prompt itself. */
export const scanRequest = createTermsScan({ fields: Object.keys(requestFields), required: ['contents'] })
