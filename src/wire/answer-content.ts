/** The parts of an answer's content that decide its finish reason. */
export interface AnswerContent {
  readonly hasToolCall: boolean
  readonly hasRefusal: boolean
}
