// Chooses the answer of an operation from its contract: status, media type, body and headers. Choices that do not depend on
// the request are made once, on first use. Independent of simulation.

import { suggest } from '../../kernel/diagnostic.ts'
import { fieldText } from '../../kernel/field-text.ts'
import { problems } from '../../kernel/problem.ts'
import { type Reply, refuse, withWarning } from '../../kernel/reply.ts'
import { type MediaType, type Operation, type ResponseSpec, responseFor } from '../contract.ts'
import {
  type Content,
  echoedContent,
  exampleContent,
  generatedContent,
  namedContent,
  type Wish,
  type Written,
  writeBody,
} from './body.ts'
import { saidBelow } from './echo.ts'
import { ExamplePairs } from './example-pairs.ts'
import { writeHeaders } from './headers.ts'
import { compileNegotiation, contentTypeFor, type Negotiate } from './negotiate.ts'
import { describeError } from './refusals.ts'

/** A question to a contract. */
export interface Question extends Wish {
  /** The requested status; else the operation's usual one. */
  readonly status: number | undefined
  readonly accept: string | undefined
  readonly method: string
  readonly path: string
  readonly host: string | undefined
}

/** The choice of an example without a request, to find out at load whether it exists. */
export const ANY_QUESTION: Question = {
  status: undefined,
  example: undefined,
  dynamic: false,
  seed: 0,
  given: { parameters: [], body: undefined },
  accept: undefined,
  method: 'GET',
  path: '/',
  host: undefined,
}

/** A documented response, with its media types in order. */
interface ResponseCandidate {
  readonly response: ResponseSpec
  readonly media: readonly (readonly [string, MediaType])[]
  readonly negotiate: Negotiate
}

/** A serialised body, and its value. */
interface PreparedBody extends Written {
  readonly content: Content
}

export class Answers {
  readonly #operation: Operation
  readonly #candidates = new Map<ResponseSpec, ResponseCandidate>()
  readonly #examples = new Map<MediaType, PreparedBody | 'none'>()
  /** The default answer; `undefined` if the operation documents no response that can be sent. */
  readonly status: number | undefined

  readonly #pairs: ExamplePairs
  readonly #unsuccessful: string
  /** Whether the path ends with the record's own name, `/books/{id}`. */
  readonly #namesRecord: boolean

  constructor(operation: Operation) {
    this.#operation = operation
    this.#pairs = new ExamplePairs(operation)
    this.#namesRecord = /\}[^/{}]*\/?$/.test(operation.path)
    this.status = usualStatus(operation)
    this.#unsuccessful = `the request is valid, but ${operation.id} documents no success; this is its first documented response`
  }

  /** Returns the reply to a question: 404 if it is not documented, 406 if the client accepts no documented media type. */
  reply(question: Question): Reply {
    const example = question.example ?? this.#pairs.nameFor(question.given.body, question.status)
    const reply = this.#reply(example === question.example ? question : { ...question, example })
    // Without a reason the client would look for a mistake in its request.
    const unasked = question.status === undefined && example === undefined && reply.refusal === undefined
    return unasked && reply.status >= 400 && reply.status === this.status
      ? withWarning(reply, this.#unsuccessful)
      : reply
  }

  #reply(question: Question): Reply {
    const { id, responses } = this.#operation
    const { example } = question
    const status = question.status ?? this.#statusOf(example)
    const response = status === undefined ? undefined : responseFor(this.#operation, status)
    if (status === undefined || response === undefined || status < 200) {
      const known = [...responses.keys()].filter(key => !key.startsWith('1')).join(', ')
      const wanted = question.status === undefined ? 'no response that can be sent' : `no ${question.status}`
      return refuse(problems.not_found, `${id} documents ${wanted}; documented: ${known || 'none'}`)
    }
    const candidate = this.#candidateOf(response)
    if (question.example !== undefined) {
      const names = namesIn(candidate)
      if (!names.includes(question.example)) return this.#unknownExample(question.example, status, names)
    }
    const bodyless = status === 204 || status === 205 || status === 304 || candidate.media.length === 0
    if (bodyless) {
      const headers = writeHeaders(response.headers, { ...question, status, body: undefined })
      return { status, headers, body: undefined }
    }
    const index = candidate.negotiate(question.accept)
    if (index === undefined) {
      const types = candidate.media.map(([type]) => type).join(', ')
      return refuse(problems.not_acceptable, `Accept allows none of the media types of ${id} ${status}: ${types}`)
    }
    const [documented, media] = this.#mediaFor(candidate, index, question.example)
    const type = contentTypeFor(documented, question.accept)
    const { content, body, contentType } = this.#write(media, documented, type, status, question)
    const headers = writeHeaders(response.headers, { ...question, status, body: content.value })
    if (content.unfit !== undefined) {
      headers['understudy-warning'] = fieldText(
        `no value was found that matches the schema of this reply: ${content.unfit}`,
      )
    }
    return { status, headers: { 'content-type': contentType, ...headers }, body }
  }

  #write(media: MediaType, documented: string, type: string, status: number, question: Question): PreparedBody {
    const prepare = (content: Content): PreparedBody => ({ content, ...writeBody(content, media, type) })
    const { given: said } = question
    const given = status === 201 && !this.#namesRecord ? saidBelow(said) : said
    const named = namedContent(media, type, question.example)
    if (named !== undefined) return prepare(named)
    if (!question.dynamic) {
      // An example is the same for every request, so it is found and serialised once.
      const kept = documented === type
      let prepared = kept ? this.#examples.get(media) : undefined
      if (prepared === undefined) {
        const example = exampleContent(media, type)
        prepared = example === undefined ? 'none' : prepare(example)
        if (kept) this.#examples.set(media, prepared)
      }
      if (prepared !== 'none') {
        const { content } = prepared
        const echoed = status < 400 ? echoedContent(content, media, given) : content
        return echoed === content ? prepared : prepare(echoed)
      }
    }
    const content = generatedContent(media, { ...question, given })
    const response = responseFor(this.#operation, status)
    if (status < 400 || question.dynamic || content.value === undefined || response === undefined)
      return prepare(content)
    return prepare({ ...content, value: describeError(content.value, status, response, media) })
  }

  /** A named example may belong to another media type than the negotiated one. The name decides. */
  #mediaFor({ media }: ResponseCandidate, index: number, example: string | undefined): readonly [string, MediaType] {
    const chosen = media[index] as readonly [string, MediaType]
    const has = ([, { examples }]: readonly [string, MediaType]) => examples.some(({ name }) => name === example)
    return example === undefined || has(chosen) ? chosen : (media.find(has) ?? chosen)
  }

  /** Finds a named example without a status: in the usual reply first, then in all the others. */
  #statusOf(example: string | undefined): number | undefined {
    if (example === undefined || this.status === undefined) return this.status
    const usual = responseFor(this.#operation, this.status)
    if (usual !== undefined && namesIn(this.#candidateOf(usual)).includes(example)) return this.status
    for (const [key, response] of this.#operation.responses) {
      if (namesIn(this.#candidateOf(response)).includes(example)) return statusOf(key)
    }
    return this.status
  }

  #unknownExample(example: string, status: number, names: readonly string[]): Reply {
    const detail = `${this.#operation.id} documents no example "${example}" of ${status}`
    const hint = suggest(example, names) ?? `documented: ${names.join(', ') || 'none'}`
    return refuse(problems.not_found, `${detail}; ${hint}`)
  }

  #candidateOf(response: ResponseSpec): ResponseCandidate {
    let candidate = this.#candidates.get(response)
    if (candidate === undefined) {
      const media = [...response.content]
      candidate = { response, media, negotiate: compileNegotiation(media.map(([type]) => type)) }
      this.#candidates.set(response, candidate)
    }
    return candidate
  }
}

const namesIn = ({ media }: ResponseCandidate): string[] => [
  ...new Set(media.flatMap(([, { examples }]) => examples.flatMap(({ name }) => (name === undefined ? [] : [name])))),
]

/** Returns the lowest documented 2xx, then `2XX` as 200, then `default` as 200, else the first response that can be sent. */
function usualStatus({ responses }: Operation): number | undefined {
  const exact = [...responses.keys()].filter(key => /^2\d\d$/.test(key)).map(Number)
  if (exact.length > 0) return Math.min(...exact)
  if (responses.has('2XX') || responses.has('default')) return 200
  return [...responses.keys()].map(statusOf).find(status => status >= 200)
}

const statusOf = (key: string): number => (key === 'default' ? 200 : Number(key.replace('XX', '00')))
