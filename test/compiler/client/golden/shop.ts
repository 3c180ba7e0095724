/* eslint-disable */
/**
 * The client of shop, made by Kiln from its description. It is overwritten when that changes: do not edit it.
 *
 *   const client = createClient({ baseUrl: 'https://example.com' });
 */

export interface Client {
  /** What the people of the shop work with. */
  readonly backoffice: BackofficeResource;
  /** What the shop's own website calls. */
  readonly store: StoreResource;
}

/** What the people of the shop work with. */
export interface BackofficeResource {
  /** A code that lowers the price of an order. */
  readonly coupons: BackofficeCouponsResource;
  /** Someone who buys, or one of us. The identity provider knows the password; we know its `subject`. */
  readonly customers: BackofficeCustomersResource;
  /** Records of `Order`. */
  readonly orders: BackofficeOrdersResource;
  /** Another company that we tell of paid orders, such as the one that packs the parcels. */
  readonly partners: BackofficePartnersResource;
  /** Something on sale, by the piece or by weight. */
  readonly products: BackofficeProductsResource;
  /** A customer's opinion. It is shown once we have read it. */
  readonly reviews: BackofficeReviewsResource;
}

/** A code that lowers the price of an order. */
export interface BackofficeCouponsResource {
  (coupon_code: string): BackofficeCouponsItem;
  /** List Coupon records. (`GET /api/backoffice/coupons`) */
  readonly list: Method<[options?: CallOptions], Coupon[], 'malformed-request' | 'unauthenticated' | 'forbidden'>;
  /** Create Coupon. (`POST /api/backoffice/coupons`) */
  readonly create: Method<[body: CouponCreate, options?: CallOptions], Coupon, BodyCode | 'unauthenticated' | 'forbidden' | 'conflict' | 'validation-failed'>;
}

export interface BackofficeCouponsItem {
  /** Delete Coupon. (`DELETE /api/backoffice/coupons/{coupon_code}`) */
  readonly delete: Method<[options?: CallOptions], void, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
}

/** Someone who buys, or one of us. The identity provider knows the password; we know its `subject`. */
export interface BackofficeCustomersResource {
  (customer_id: number): BackofficeCustomersItem;
  /** List Customer records. (`GET /api/backoffice/customers`) */
  readonly list: PagedMethod<[query?: PageQuery, options?: CallOptions], Customer, 'malformed-request' | 'unauthenticated' | 'forbidden'>;
  /** Create Customer. (`POST /api/backoffice/customers`) */
  readonly create: Method<[body: CustomerCreate, options?: CallOptions], Customer, BodyCode | 'unauthenticated' | 'forbidden' | 'conflict' | 'validation-failed'>;
}

export interface BackofficeCustomersItem {
  /** Get Customer. (`GET /api/backoffice/customers/{customer_id}`) */
  readonly get: Method<[options?: CallOptions], CustomerDetail, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
  /** Change Customer. (`PATCH /api/backoffice/customers/{customer_id}`) */
  readonly update: Method<[body?: CustomerUpdate, options?: CallOptions], Customer, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'conflict' | 'validation-failed'>;
}

/** Records of `Order`. */
export interface BackofficeOrdersResource {
  (order_id: Uuid): BackofficeOrdersItem;
  /** List Order records. (`GET /api/backoffice/orders`) */
  readonly list: PagedMethod<[query?: BackofficeOrdersListQuery, options?: CallOptions], Order, 'malformed-request' | 'unauthenticated' | 'forbidden'>;
}

export interface BackofficeOrdersItem {
  /** Get Order. (`GET /api/backoffice/orders/{order_id}`) */
  readonly get: Method<[options?: CallOptions], Order, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
  /** Cancel. (`POST /api/backoffice/orders/{order_id}/cancel`) */
  readonly cancel: Method<[options?: CallOptions], void, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found' | 'already-shipped'>;
  /** The payment has arrived. (`POST /api/backoffice/orders/{order_id}/settle`) */
  readonly settle: Method<[options?: CallOptions], void, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found' | 'not-placed'>;
  /** The tracking code comes from the order's own id. (`POST /api/backoffice/orders/{order_id}/ship`) */
  readonly ship: Method<[options?: CallOptions], void, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found' | 'conflict' | 'not-paid' | 'validation-failed'>;
  /** Someone who buys, or one of us. The identity provider knows the password; we know its `subject`. */
  readonly customer: BackofficeOrdersCustomerResource;
}

/** Someone who buys, or one of us. The identity provider knows the password; we know its `subject`. */
export interface BackofficeOrdersCustomerResource {
  /** Get Customer. (`GET /api/backoffice/orders/{order_id}/customer`) */
  readonly get: Method<[options?: CallOptions], BackofficeOrdersCustomer, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
  /** Change Customer. (`PATCH /api/backoffice/orders/{order_id}/customer`) */
  readonly update: Method<[body?: BackofficeOrdersCustomerUpdate, options?: CallOptions], BackofficeOrdersCustomer, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'conflict' | 'validation-failed'>;
}

/** Another company that we tell of paid orders, such as the one that packs the parcels. */
export interface BackofficePartnersResource {
  (partner_id: number): BackofficePartnersItem;
  /** List Partner records. (`GET /api/backoffice/partners`) */
  readonly list: Method<[options?: CallOptions], Partner[], 'malformed-request' | 'unauthenticated' | 'forbidden'>;
  /** Create Partner. (`POST /api/backoffice/partners`) */
  readonly create: Method<[body: PartnerCreate, options?: CallOptions], Partner, BodyCode | 'unauthenticated' | 'forbidden' | 'validation-failed'>;
}

export interface BackofficePartnersItem {
  /** Delete Partner. (`DELETE /api/backoffice/partners/{partner_id}`) */
  readonly delete: Method<[options?: CallOptions], void, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
}

/** Something on sale, by the piece or by weight. */
export interface BackofficeProductsResource {
  (product_sku: string): BackofficeProductsItem;
  /** List Product records. (`GET /api/backoffice/products`) */
  readonly list: PagedMethod<[query?: PageQuery, options?: CallOptions], Product, 'malformed-request' | 'unauthenticated' | 'forbidden'>;
  /** Create Product. (`POST /api/backoffice/products`) */
  readonly create: Method<[body: ProductCreate, options?: CallOptions], Product, BodyCode | 'unauthenticated' | 'forbidden' | 'conflict' | 'validation-failed'>;
  /** Takes a whole category off sale. (`POST /api/backoffice/products/discontinue`) */
  readonly discontinue: Method<[body: ProductDiscontinue, options?: CallOptions], void, BodyCode | 'unauthenticated' | 'forbidden' | 'validation-failed'>;
  /** What runs out soon. (`GET /api/backoffice/products/low-stock`) */
  readonly lowStock: Method<[query?: BackofficeProductsLowStockQuery, options?: CallOptions], ProductLowStockResult[], 'malformed-request' | 'unauthenticated' | 'forbidden'>;
  /** The price list as a CSV file. The hook writes the answer itself. (`GET /api/backoffice/products/price-list`) */
  readonly priceList: Method<[options?: CallOptions], Response, ProblemCode>;
}

export interface BackofficeProductsItem {
  /** Get Product. (`GET /api/backoffice/products/{product_sku}`) */
  readonly get: Method<[options?: CallOptions], Product, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
  /** Change Product. (`PATCH /api/backoffice/products/{product_sku}`) */
  readonly update: Method<[body?: ProductUpdate, options?: CallOptions], Product, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'conflict' | 'validation-failed'>;
  /** Delete Product. (`DELETE /api/backoffice/products/{product_sku}`) */
  readonly delete: Method<[options?: CallOptions], void, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found' | 'conflict'>;
  /** Restock. (`POST /api/backoffice/products/{product_sku}/restock`) */
  readonly restock: Method<[body: ProductRestock, options?: CallOptions], number, BodyCode | 'unauthenticated' | 'forbidden' | 'not-found' | 'validation-failed'>;
}

/** A customer's opinion. It is shown once we have read it. */
export interface BackofficeReviewsResource {
  (review_id: number): BackofficeReviewsItem;
  /** List Review records. (`GET /api/backoffice/reviews`) */
  readonly list: PagedMethod<[query?: PageQuery, options?: CallOptions], Review, 'malformed-request' | 'unauthenticated' | 'forbidden'>;
}

export interface BackofficeReviewsItem {
  /** Delete Review. (`DELETE /api/backoffice/reviews/{review_id}`) */
  readonly delete: Method<[options?: CallOptions], void, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
  /** Approve. (`POST /api/backoffice/reviews/{review_id}/approve`) */
  readonly approve: Method<[options?: CallOptions], void, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
}

/** What the shop's own website calls. */
export interface StoreResource {
  /** The pages of the shop. A category may lie below another one. */
  readonly categories: StoreCategoriesResource;
  /** Records of `Order`. */
  readonly orders: StoreOrdersResource;
  /** Something on sale, by the piece or by weight. */
  readonly products: StoreProductsResource;
}

/** The pages of the shop. A category may lie below another one. */
export interface StoreCategoriesResource {
  (category_name: string): StoreCategoriesItem;
  /** List Category records. (`GET /api/store/categories`) */
  readonly list: Method<[options?: CallOptions], Category[], 'malformed-request' | 'unauthenticated'>;
}

export interface StoreCategoriesItem {
  /** Get Category. (`GET /api/store/categories/{category_name}`) */
  readonly get: Method<[options?: CallOptions], CategoryDetail, ProblemCode>;
}

/** Records of `Order`. */
export interface StoreOrdersResource {
  (order_id: Uuid): StoreOrdersItem;
  /** List Order records. (`GET /api/store/orders`) */
  readonly list: PagedMethod<[query?: PageQuery, options?: CallOptions], StoreOrder, 'malformed-request' | 'unauthenticated'>;
  /** Starts a cart, with as many lines as the client sends, at today's prices. (`POST /api/store/orders`) */
  readonly create: Method<[body: StoreOrderCreate, options?: CallOptions], StoreOrder, BodyCode | 'unauthenticated' | 'conflict' | 'sold-out' | 'validation-failed'>;
}

export interface StoreOrdersItem {
  /** Get Order. (`GET /api/store/orders/{order_id}`) */
  readonly get: Method<[options?: CallOptions], StoreOrder, 'malformed-request' | 'unauthenticated' | 'not-found'>;
  /** Change Order. (`PATCH /api/store/orders/{order_id}`) */
  readonly update: Method<[body?: StoreOrderUpdate, options?: CallOptions], StoreOrder, BodyCode | 'unauthenticated' | 'not-found' | 'not-a-cart' | 'validation-failed'>;
  /** Delete Order. (`DELETE /api/store/orders/{order_id}`) */
  readonly delete: Method<[options?: CallOptions], void, 'malformed-request' | 'unauthenticated' | 'not-found' | 'conflict' | 'not-a-cart'>;
  /** Turns the cart into an order, and answers with the page where it is paid. (`POST /api/store/orders/{order_id}/place`) */
  readonly place: Method<[body?: StoreOrderPlace, options?: CallOptions], Uuid, ProblemCode>;
  /** The lines of a cart. Those of a placed order are in the order. */
  readonly lines: StoreOrdersLinesResource;
  /** Records of `Payment`. */
  readonly payment: StoreOrdersPaymentResource;
}

/** The lines of a cart. Those of a placed order are in the order. */
export interface StoreOrdersLinesResource {
  (order_line_id: number): StoreOrdersLinesItem;
  /** List OrderLine records. (`GET /api/store/orders/{order_id}/lines`) */
  readonly list: Method<[options?: CallOptions], OrderLine[], 'malformed-request' | 'unauthenticated' | 'not-found'>;
  /** Puts a product in the cart at today's price. (`POST /api/store/orders/{order_id}/lines`) */
  readonly create: Method<[body: OrderLineCreate, options?: CallOptions], OrderLine, BodyCode | 'unauthenticated' | 'not-found' | 'conflict' | 'not-a-cart' | 'validation-failed'>;
}

export interface StoreOrdersLinesItem {
  /** Change OrderLine. (`PATCH /api/store/orders/{order_id}/lines/{order_line_id}`) */
  readonly update: Method<[body: OrderLineUpdate, options?: CallOptions], OrderLine, BodyCode | 'unauthenticated' | 'not-found' | 'validation-failed'>;
  /** Delete OrderLine. (`DELETE /api/store/orders/{order_id}/lines/{order_line_id}`) */
  readonly delete: Method<[options?: CallOptions], void, 'malformed-request' | 'unauthenticated' | 'not-found'>;
}

/** Records of `Payment`. */
export interface StoreOrdersPaymentResource {
  /** Get Payment. (`GET /api/store/orders/{order_id}/payment`) */
  readonly get: Method<[options?: CallOptions], Payment, 'malformed-request' | 'unauthenticated' | 'not-found'>;
}

/** Something on sale, by the piece or by weight. */
export interface StoreProductsResource {
  (product_sku: string): StoreProductsItem;
  /** What can be bought today. (`GET /api/store/products`) */
  readonly list: PagedMethod<[query?: StoreProductsListQuery, options?: CallOptions], StoreProduct, ProblemCode>;
}

export interface StoreProductsItem {
  /** Get Product. (`GET /api/store/products/{product_sku}`) */
  readonly get: Method<[options?: CallOptions], StoreProductDetail, ProblemCode>;
  /** What a quantity of the product would cost, with the discount for large quantities. (`GET /api/store/products/{product_sku}/quote`) */
  readonly quote: Method<[query?: StoreProductsQuoteQuery, options?: CallOptions], {
    gross: Decimal;
    discount: Decimal;
    net: Decimal;
  }, 'malformed-request' | 'unauthenticated' | 'not-found' | 'validation-failed'>;
  /** A customer's opinion. It is shown once we have read it. */
  readonly reviews: StoreProductsReviewsResource;
}

/** A customer's opinion. It is shown once we have read it. */
export interface StoreProductsReviewsResource {
  (review_id: number): StoreProductsReviewsItem;
  /** List Review records. (`GET /api/store/products/{product_sku}/reviews`) */
  readonly list: PagedMethod<[query?: PageQuery, options?: CallOptions], StoreProductsReview, 'malformed-request' | 'unauthenticated' | 'not-found'>;
  /** Create Review. (`POST /api/store/products/{product_sku}/reviews`) */
  readonly create: Method<[body: StoreProductsReviewCreate, options?: CallOptions], StoreProductsReview, BodyCode | 'unauthenticated' | 'not-found' | 'conflict' | 'validation-failed'>;
}

export interface StoreProductsReviewsItem {
  /** Delete Review. (`DELETE /api/store/products/{product_sku}/reviews/{review_id}`) */
  readonly delete: Method<[options?: CallOptions], void, 'malformed-request' | 'unauthenticated' | 'forbidden' | 'not-found'>;
}

// ── What is sent and answered ────────────────────────────────────────────────────────────────────────────────────────

/** What webhooks tell of. */
export type WebhookEvent = {
  type: 'order.paid';
  /** When it happened. */
  timestamp: Timestamp;
  data: {
    id: Uuid;
    shipping: unknown;
    lines: {
      /** Pieces, or kilograms. */
      quantity: Decimal;
      product: {
        sku: string;
      };
    }[];
  };
};

/** The headers of a request, with names in lower case. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface BackofficeOrdersCustomer {
  name: string;
  email: string;
}

export interface BackofficeOrdersCustomerUpdate {
  readonly name?: string | undefined;
  /** No other record may have the same value. */
  readonly email?: string | undefined;
}

/** The pages of the shop. A category may lie below another one. */
export interface Category {
  name: string;
  position: number;
  product_count: number;
}

export interface CategoryDetail {
  name: string;
  children: {
    name: string;
    product_count: number;
  }[];
  products: {
    sku: string;
    name: string;
    price: Decimal;
    /** The price as a customer reads it, such as `€4.50`. */
    price_label: unknown;
  }[];
}

/** A code that lowers the price of an order. */
export interface Coupon {
  code: string;
  percent: number;
  valid_until: DateOnly;
  active: boolean;
}

export interface CouponCreate {
  /** No other record may have the same value. */
  readonly code: string;
  readonly percent: number;
  readonly valid_until: DateOnly;
}

export type Currency = 'eur' | 'gbp' | 'usd';

/** Someone who buys, or one of us. The identity provider knows the password; we know its `subject`. */
export interface Customer {
  id: number;
  name: string;
  email: string;
  staff: boolean;
}

export interface CustomerCreate {
  /** No other record may have the same value. */
  readonly subject: string;
  readonly name: string;
  /** No other record may have the same value. */
  readonly email: string;
  readonly staff?: boolean | undefined;
}

export interface CustomerDetail {
  id: number;
  name: string;
  email: string;
  staff: boolean;
  orders: {
    id: Uuid;
    status: OrderStatus;
    total: Decimal | null;
  }[];
}

export interface CustomerUpdate {
  /** No other record may have the same value. */
  readonly subject?: string | undefined;
  readonly name?: string | undefined;
  /** No other record may have the same value. */
  readonly email?: string | undefined;
  readonly staff?: boolean | undefined;
}

export interface Order {
  id: Uuid;
  status: OrderStatus;
  placed_at: Timestamp | null;
  total: Decimal | null;
  tracking_code: string | null;
  customer: BackofficeOrdersCustomer;
}

export interface OrderLine {
  id: number;
  /** Pieces, or kilograms. */
  quantity: Decimal;
  /** The price at the time when the product was put in the cart. */
  unit_price: Decimal;
  amount: Decimal | null;
  product: {
    sku: string;
    name: string;
  };
}

export interface OrderLineCreate {
  /** The `sku` of an existing `Product`. */
  readonly product_sku: string;
  /**
   * Pieces, or kilograms.
   *
   * Must be at least 0.
   */
  readonly quantity?: Decimal | undefined;
}

export interface OrderLineUpdate {
  /**
   * Pieces, or kilograms.
   *
   * Must be at least 0.
   */
  readonly quantity: Decimal;
}

/** An order is `paying` while the payment provider is asked. */
export type OrderStatus = 'cart' | 'paying' | 'placed' | 'paid' | 'shipped' | 'cancelled';

/** Another company that we tell of paid orders, such as the one that packs the parcels. */
export interface Partner {
  id: number;
  url: string;
}

export interface PartnerCreate {
  readonly url: string;
  readonly secret: string;
}

export interface Payment {
  amount: Decimal;
  paid_at: Timestamp | null;
}

/** Something on sale, by the piece or by weight. */
export interface Product {
  id: Uuid;
  sku: string;
  name: string;
  price: Decimal;
  stock: number;
  available_from: DateOnly;
  category: {
    name: string;
  };
}

export interface ProductCreate {
  /** The `name` of an existing `Category`. */
  readonly category_name: string;
  /** No other record may have the same value. */
  readonly sku: string;
  readonly name: string;
  readonly description?: string | undefined;
  /** Must be at least 0. */
  readonly price: Decimal;
  /** What we pay for it. No answer of the API shows it. */
  readonly cost?: Decimal | null | undefined;
  readonly currency?: Currency | undefined;
  readonly stock?: number | undefined;
  readonly weight_kg?: number | null | undefined;
  readonly available_from?: DateOnly | undefined;
  /** What differs between kinds of products: origin, allergens, size. */
  readonly attributes?: unknown;
}

export interface ProductDiscontinue {
  readonly category_name: string;
}

export interface ProductLowStockResult {
  sku: string;
  name: string;
  stock: number;
  category: {
    name: string;
  };
}

export interface ProductRestock {
  readonly amount: number;
}

export interface ProductUpdate {
  /** The `id` of an existing `Category`. */
  readonly category_id?: number | undefined;
  /** No other record may have the same value. */
  readonly sku?: string | undefined;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** Must be at least 0. */
  readonly price?: Decimal | undefined;
  /** What we pay for it. No answer of the API shows it. */
  readonly cost?: Decimal | null | undefined;
  readonly currency?: Currency | undefined;
  readonly stock?: number | undefined;
  readonly weight_kg?: number | null | undefined;
  readonly available_from?: DateOnly | undefined;
  /** The name that reports sort by. */
  readonly sort_name?: string | undefined;
  /** What differs between kinds of products: origin, allergens, size. */
  readonly attributes?: unknown;
}

/** A customer's opinion. It is shown once we have read it. */
export interface Review {
  id: number;
  stars: number;
  text: string;
  approved: boolean;
  product: {
    sku: string;
  };
  customer: {
    email: string;
  };
}

export interface StoreOrder {
  id: Uuid;
  status: OrderStatus;
  placed_at: Timestamp | null;
  total: Decimal | null;
  receipt: {
    id: number;
    issued_at: Timestamp;
  } | null;
  lines: OrderLine[];
}

export interface StoreOrderCreate {
  readonly lines: readonly {
    /** The `sku` of an existing `Product`. */
    readonly product_sku: string;
    /** Must be at least 0. */
    readonly quantity?: Decimal | undefined;
  }[];
  readonly note?: string | null | undefined;
  readonly shipping?: unknown;
}

export interface StoreOrderPlace {
  readonly terms?: boolean | undefined;
}

export interface StoreOrderUpdate {
  readonly note?: string | null | undefined;
  readonly shipping?: unknown;
}

export interface StoreProduct {
  id: Uuid;
  sku: string;
  name: string;
  price: Decimal;
  currency: Currency;
  /** The price as a customer reads it, such as `€4.50`. */
  price_label: unknown;
  badge: string;
  in_stock: boolean;
  stars: number | null;
  category: {
    name: string;
  };
}

export interface StoreProductDetail {
  id: Uuid;
  sku: string;
  name: string;
  description: string;
  price: Decimal;
  /** The price as a customer reads it, such as `€4.50`. */
  price_label: unknown;
  /** What differs between kinds of products: origin, allergens, size. */
  attributes: unknown;
  heading: string;
  best: {
    stars: number;
    text: string;
    customer: {
      name: string;
    };
  } | null;
  others: {
    stars: number;
    text: string;
  }[];
}

export interface StoreProductsReview {
  id: number;
  stars: number;
  text: string;
  customer: {
    name: string;
  };
}

export interface StoreProductsReviewCreate {
  readonly stars: number;
  readonly text?: string | undefined;
}

export interface BackofficeOrdersListQuery extends PageQuery {
  readonly state?: OrderStatus | undefined;
}

export interface BackofficeProductsLowStockQuery {
  readonly threshold?: number | undefined;
}

export interface StoreProductsListQuery extends PageQuery {
  readonly max_price?: Decimal | undefined;
  readonly least_stock?: number | undefined;
}

export interface StoreProductsQuoteQuery {
  /** Must be at least 0. */
  readonly quantity?: Decimal | undefined;
}

/** A day, such as "2026-01-31". */
export type DateOnly = string;

/** An exact number as a string, such as "12.50", so that no digit is lost. */
export type Decimal = string;

/** A point in time, such as "2026-01-31T12:00:00Z". */
export type Timestamp = string;

/** Such as "0190a5d2-7c2e-7b3a-9f10-5b8f0c1d2e3f". */
export type Uuid = string;

// ── Options, results, errors ─────────────────────────────────────────────────────────────────────────────────────────

/** A value, or a function that is called for it before each request. */
export type Given<T> = T | (() => T | Promise<T>);

/** Anything that the Headers of fetch accept. */
export type GivenHeaders = Headers | Readonly<Record<string, string>> | readonly (readonly [string, string])[];

export interface ClientOptions {
  /** Where the API is: "https://example.com", or "https://example.com/shop" behind a proxy. "" is the page's own origin. */
  readonly baseUrl: string | URL;
  /** Sent as "Authorization: Bearer ...". Nothing is sent if it is empty, null or undefined. */
  readonly token?: Given<string | null | undefined>;
  /** Sent with each request. */
  readonly headers?: Given<GivenHeaders | undefined>;
  /** Used instead of the global fetch. */
  readonly fetch?: Fetch | undefined;
  /** The longest time of a call in milliseconds, including retries. No limit if left out or Infinity. */
  readonly timeout?: number | undefined;
  /** How often a GET or PUT is retried after no response, 429, 502, 503 or 504. The default is 2. */
  readonly retries?: number | undefined;
  /** Called once if the server has another API than this client was made for. The default prints a warning. */
  readonly onContractMismatch?: ((mismatch: ContractMismatch) => void) | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** In milliseconds. */
  readonly timeout?: number | undefined;
  readonly retries?: number | undefined;
  /** They override those of the client. */
  readonly headers?: GivenHeaders | undefined;
}

export type Fetch = (url: string, init: FetchInit) => Promise<Response>;

export interface FetchInit {
  readonly method: string;
  readonly headers: Headers;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface ContractMismatch {
  /** The contract that this client was generated from. */
  readonly client: string;
  readonly server: string;
}

/** One endpoint. A call returns the data or throws an ApiError. */
export interface Method<A extends readonly unknown[], D, C extends ErrorCode = never> {
  (...args: A): Promise<D>;
  /** The same, but returns errors instead of throwing them. */
  readonly result: (...args: A) => Promise<Result<D, C | AnyTimeCode>>;
}

export type Result<D, C extends ErrorCode = ErrorCode> = Success<D> | Failure<C>;

export interface Success<D> {
  readonly ok: true;
  readonly status: number;
  readonly data: D;
  readonly headers: Headers;
}

/** One variant for each code, which tells the status and the problem. */
export type Failure<C extends ErrorCode = ErrorCode> = {
  [K in C]: {
    readonly ok: false;
    readonly code: K;
    readonly status: StatusByCode[K];
    readonly problem: K extends ProblemCode ? Problem<K> : undefined;
    readonly fields: Fields;
    /** Undefined if there was no response. */
    readonly headers: Headers | undefined;
    /** What the plain method would have thrown. */
    readonly error: ApiError;
  };
}[C];

/** A list in pages. */
export interface PagedMethod<A extends readonly unknown[], D, C extends ProblemCode = never, P = Page<D>>
  extends Method<A, P, C> {
  /** Every record, page after page. Each page is fetched when it is needed: for await (const each of list.all()). */
  readonly all: (...args: A) => AsyncGenerator<D, void, undefined>;
}

/** Of a list that does not count its records. */
export interface UncountedPage<D> {
  page: number;
  pageSize: number;
  data: D[];
}

export interface Page<D> extends UncountedPage<D> {
  totalPages: number;
  totalCount: number;
}

/** Of a list that estimates how many records there are. */
export interface EstimatedPage<D> extends Page<D> {
  /** Whether the totals are estimates. They are exact if the page shows that it is the last one. */
  totalIsEstimated: boolean;
}

/** Of a list whose pages have no numbers. */
export interface CursorPage<D> {
  pageSize: number;
  /** The value for `after`; null on the last page. */
  next: string | null;
  data: D[];
}

export interface CursorQuery {
  /** The `next` of the previous page. */
  readonly after?: string | undefined;
  readonly pageSize?: number | undefined;
}

export interface PageQuery {
  /** From 1. */
  readonly page?: number | undefined;
  readonly pageSize?: number | undefined;
}

/** An error of the API (RFC 9457). */
export interface Problem<C extends ProblemCode = ProblemCode> {
  readonly type: string;
  readonly title: string;
  readonly status: StatusByCode[C];
  /** Of custom code: its own. */
  readonly code: C extends 'refused' ? string : C;
  /** The mistake in this request. */
  readonly detail?: string;
  /** Names the request in the server's log. */
  readonly requestId: string;
  /** The errors of single inputs. */
  readonly errors?: readonly InputError[];
}

export interface InputError {
  /** The place in the request, with dots: "author.email". */
  readonly path: string;
  readonly code: string;
  readonly message: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The errors of single inputs by their paths. */
export type Fields = Readonly<Record<string, readonly InputError[] | undefined>>;

export interface StatusByCode extends Statuses {
  /** Custom code of the API rejected the request. */
  refused: number;
  /** There was no response, or it was incomplete. */
  network: 0;
  timeout: 0;
  /** The caller aborted the call. */
  aborted: 0;
  /** The response is of a proxy, not of this API. */
  'unexpected-answer': number;
}

export type ErrorCode = keyof StatusByCode;
export type ClientCode = 'network' | 'timeout' | 'aborted' | 'unexpected-answer';
export type ProblemCode = Exclude<ErrorCode, ClientCode>;
/** The errors of any endpoint that takes a body. */
export type BodyCode = 'malformed-request' | 'too-large' | 'unsupported-media-type';
/** The errors of any call. */
export type AnyTimeCode = 'internal' | 'unavailable' | ClientCode;

export interface ErrorFacts {
  readonly code: ErrorCode;
  readonly status?: number | undefined;
  readonly problem?: Problem | undefined;
  readonly headers?: Headers | undefined;
  readonly otherContract?: string | undefined;
  readonly cause?: unknown;
}

export interface Statuses {
  'malformed-request': 400;
  unauthenticated: 401;
  forbidden: 403;
  'not-found': 404;
  'method-not-allowed': 405;
  conflict: 409;
  'changed-meanwhile': 412;
  'too-large': 413;
  'unsupported-media-type': 415;
  'validation-failed': 422;
  'too-many-requests': 429;
  internal: 500;
  unavailable: 503;
  'took-too-long': 504;
  'already-shipped': 409;
  'not-placed': 409;
  'not-paid': 409;
  'sold-out': 409;
  'not-a-cart': 409;
  'empty-order': 422;
  'terms-not-accepted': 422;
}

// ── Code ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The server sends its contract with each response: the client notices a difference. */
const CONTRACT = '36674931b1233841';

const CODES = /^(malformed-request|unauthenticated|forbidden|not-found|method-not-allowed|conflict|changed-meanwhile|too-large|unsupported-media-type|validation-failed|too-many-requests|internal|unavailable|took-too-long|already-shipped|not-placed|not-paid|sold-out|not-a-cart|empty-order|terms-not-accepted)$/;

const ROUTES: Routes = {
  backoffice: {
    coupons: {
      list: { route: 'GET /api/backoffice/coupons' },
      create: { route: 'POST /api/backoffice/coupons', takes: 'body' },
      '()': {
        delete: { route: 'DELETE /api/backoffice/coupons/{coupon_code}', gives: 'nothing' },
      },
    },
    customers: {
      list: { route: 'GET /api/backoffice/customers', takes: 'query', gives: 'page' },
      create: { route: 'POST /api/backoffice/customers', takes: 'body' },
      '()': {
        get: { route: 'GET /api/backoffice/customers/{customer_id}' },
        update: { route: 'PATCH /api/backoffice/customers/{customer_id}', takes: 'body' },
      },
    },
    orders: {
      list: { route: 'GET /api/backoffice/orders', takes: 'query', gives: 'page' },
      '()': {
        get: { route: 'GET /api/backoffice/orders/{order_id}' },
        cancel: { route: 'POST /api/backoffice/orders/{order_id}/cancel', gives: 'nothing' },
        settle: { route: 'POST /api/backoffice/orders/{order_id}/settle', gives: 'nothing' },
        ship: { route: 'POST /api/backoffice/orders/{order_id}/ship', gives: 'nothing' },
        customer: {
          get: { route: 'GET /api/backoffice/orders/{order_id}/customer' },
          update: { route: 'PATCH /api/backoffice/orders/{order_id}/customer', takes: 'body' },
        },
      },
    },
    partners: {
      list: { route: 'GET /api/backoffice/partners' },
      create: { route: 'POST /api/backoffice/partners', takes: 'body' },
      '()': {
        delete: { route: 'DELETE /api/backoffice/partners/{partner_id}', gives: 'nothing' },
      },
    },
    products: {
      list: { route: 'GET /api/backoffice/products', takes: 'query', gives: 'page' },
      create: { route: 'POST /api/backoffice/products', takes: 'body' },
      discontinue: { route: 'POST /api/backoffice/products/discontinue', takes: 'body', gives: 'nothing' },
      lowStock: { route: 'GET /api/backoffice/products/low-stock', takes: 'query' },
      priceList: { route: 'GET /api/backoffice/products/price-list', gives: 'response', status: 'any' },
      '()': {
        get: { route: 'GET /api/backoffice/products/{product_sku}' },
        update: { route: 'PATCH /api/backoffice/products/{product_sku}', takes: 'body' },
        delete: { route: 'DELETE /api/backoffice/products/{product_sku}', gives: 'nothing' },
        restock: { route: 'POST /api/backoffice/products/{product_sku}/restock', takes: 'body' },
      },
    },
    reviews: {
      list: { route: 'GET /api/backoffice/reviews', takes: 'query', gives: 'page' },
      '()': {
        delete: { route: 'DELETE /api/backoffice/reviews/{review_id}', gives: 'nothing' },
        approve: { route: 'POST /api/backoffice/reviews/{review_id}/approve', gives: 'nothing' },
      },
    },
  },
  store: {
    categories: {
      list: { route: 'GET /api/store/categories' },
      '()': {
        get: { route: 'GET /api/store/categories/{category_name}' },
      },
    },
    orders: {
      list: { route: 'GET /api/store/orders', takes: 'query', gives: 'page' },
      create: { route: 'POST /api/store/orders', takes: 'body' },
      '()': {
        get: { route: 'GET /api/store/orders/{order_id}' },
        update: { route: 'PATCH /api/store/orders/{order_id}', takes: 'body' },
        delete: { route: 'DELETE /api/store/orders/{order_id}', gives: 'nothing' },
        place: { route: 'POST /api/store/orders/{order_id}/place', takes: 'body' },
        lines: {
          list: { route: 'GET /api/store/orders/{order_id}/lines' },
          create: { route: 'POST /api/store/orders/{order_id}/lines', takes: 'body' },
          '()': {
            update: { route: 'PATCH /api/store/orders/{order_id}/lines/{order_line_id}', takes: 'body' },
            delete: { route: 'DELETE /api/store/orders/{order_id}/lines/{order_line_id}', gives: 'nothing' },
          },
        },
        payment: {
          get: { route: 'GET /api/store/orders/{order_id}/payment' },
        },
      },
    },
    products: {
      list: { route: 'GET /api/store/products', takes: 'query', gives: 'page' },
      '()': {
        get: { route: 'GET /api/store/products/{product_sku}' },
        quote: { route: 'GET /api/store/products/{product_sku}/quote', takes: 'query' },
        reviews: {
          list: { route: 'GET /api/store/products/{product_sku}/reviews', takes: 'query', gives: 'page' },
          create: { route: 'POST /api/store/products/{product_sku}/reviews', takes: 'body' },
          '()': {
            delete: { route: 'DELETE /api/store/products/{product_sku}/reviews/{review_id}', gives: 'nothing' },
          },
        },
      },
    },
  },
};

interface Route {
  /** The method and the path. */
  readonly route: string;
  /** Where the input goes. */
  readonly takes?: 'query' | 'body';
  /** JSON where nothing is said. */
  readonly gives?: 'page' | 'nothing' | 'response';
  /** What a page calls its members; what it leaves out has no name. */
  readonly members?: Readonly<Record<string, string>>;
  /** What is sent in place of `page`, `pageSize` and `after`. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** A status other than 2xx that the endpoint answers with by itself. */
  readonly status?: number | 'any';
  readonly token?: 'given' | 'ended';
}

interface Routes {
  readonly [name: string]: Route | Routes;
}

type PathValue = string | number | boolean;

export function createClient(options: ClientOptions): Client {
  return withMembers({}, ROUTES, [], new Connection(options)) as Client;
}

/** Own properties: names of the API win over those of functions. Tests can replace them. */
function withMembers(target: object, routes: Routes, values: readonly PathValue[], connection: Connection): object {
  for (const [name, entry] of Object.entries(routes)) {
    if (name === '()') continue;
    const value = isRoute(entry) ? methodFrom(entry, values, connection) : groupFrom(entry, values, connection);
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return target;
}

function isRoute(entry: Route | Routes): entry is Route {
  return typeof entry['route'] === 'string';
}

function groupFrom(routes: Routes, values: readonly PathValue[], connection: Connection): object {
  const one = routes['()'] as Routes | undefined;
  if (one === undefined) return withMembers({}, routes, values, connection);
  const find = (value: PathValue) => withMembers({}, one, [...values, value], connection);
  return withMembers(find, routes, values, connection);
}

function methodFrom(route: Route, values: readonly PathValue[], connection: Connection): object {
  const perform = async (args: readonly unknown[]): Promise<Success<unknown>> => {
    const [input, options] = route.takes === undefined ? [undefined, args[0]] : args;
    return connection.call(route, pathFrom(route, values, input), input, (options ?? {}) as CallOptions);
  };
  const method = async (...args: readonly unknown[]): Promise<unknown> => (await perform(args)).data;
  const result = (...args: readonly unknown[]) => perform(args).catch(failureFrom);
  return Object.assign(method, { result }, route.gives === 'page' ? { all: everyRecordOf(method, route) } : {});
}

type AnyList = (query: object, options: unknown) => Promise<unknown>;

function everyRecordOf(list: AnyList, { members, parameters }: Route): object {
  const sent = (name: string) => parameters?.[name] ?? name;
  return async function* all(query: object = {}, options?: unknown): AsyncGenerator<unknown, void, undefined> {
    let asked: Readonly<Record<string, unknown>> | undefined = { ...query };
    while (asked !== undefined) {
      const found = (await list(asked, options)) as Readonly<Record<string, unknown>>;
      const part = (name: string) => found[members === undefined ? name : (members[name] ?? '')];
      yield* part('data') as readonly unknown[];
      const name: string = sent(part('next') === undefined ? 'page' : 'after');
      const following: unknown = part('next') === undefined ? nextNumber(Number(asked[name] ?? 1), part) : part('next');
      asked = following === null ? undefined : { ...asked, [name]: following };
    }
  };
}

/** Null behind the last page. Where nothing is counted, that is one that is not full. */
function nextNumber(page: number, part: (name: string) => unknown): number | null {
  const { length } = part('data') as readonly unknown[];
  const [totalPages, pageSize] = [part('totalPages'), part('pageSize')];
  const isLast = totalPages === undefined ? length < Number(pageSize ?? 1) : page >= Number(totalPages) || length === 0;
  return isLast ? null : page + 1;
}

export class ApiError extends Error {
  /** 0 if there was no response. */
  readonly status: number;
  readonly code: ErrorCode;
  readonly problem: Problem | undefined;
  readonly fields: Fields;
  readonly headers: Headers | undefined;
  /** The server's contract, if it is another one, which may be the cause. */
  readonly otherContract: string | undefined;

  constructor(message: string, about: ErrorFacts) {
    super(message);
    this.name = 'ApiError';
    Object.defineProperty(this, 'cause', { value: about.cause, configurable: true, writable: true });
    this.status = about.status ?? 0;
    this.code = about.code;
    this.problem = about.problem;
    this.fields = fieldsFrom(about.problem?.errors ?? []);
    this.headers = about.headers;
    this.otherContract = about.otherContract;
  }
}

function fieldsFrom(errors: readonly InputError[]): Fields {
  const fields: Record<string, InputError[]> = Object.create(null);
  for (const error of errors) {
    const others = fields[error.path] ?? [];
    fields[error.path] = [...others, error];
  }
  return fields;
}

function failureFrom(error: unknown): Failure {
  if (!(error instanceof ApiError)) throw error;
  const { code, status, problem, fields, headers } = error;
  return { ok: false, code, status, problem, fields, headers, error } as Failure;
}

// ── Requests ─────────────────────────────────────────────────────────────────────────────────────────────────────────

class Connection {
  readonly #options: ClientOptions;
  readonly #base: string;
  #hasWarned = false;
  /** Of the newest write; `f…` is unknown. */
  #position = '';

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#base = baseFrom(options.baseUrl);
  }

  async call(route: Route, path: string, input: unknown, options: CallOptions): Promise<Success<unknown>> {
    const [method = ''] = route.route.split(' ');
    const body = route.takes === 'body' && input !== undefined ? JSON.stringify(input) : undefined;
    const giveUp = new GivingUp(options.signal, options.timeout ?? this.#options.timeout);
    const retries = options.retries ?? this.#options.retries ?? 2;
    let isStillRead = false;
    try {
      for (let tries = 0; ; tries++) {
        const attempt = await this.#attempt({ route, method, path, body, giveUp }, options);
        if (attempt instanceof ApiError) {
          const wait = tries < retries ? waitBeforeRetry(method, attempt, tries) : undefined;
          if (wait === undefined) throw attempt;
          await giveUp.sleep(wait);
          continue;
        }
        isStillRead = route.gives === 'response';
        return attempt;
      }
    } finally {
      giveUp.close(isStillRead);
    }
  }

  /** Errors of the caller's own code are thrown as they are. */
  async #attempt(request: Sending, options: CallOptions): Promise<Success<unknown> | ApiError> {
    const { method, path, body, giveUp } = request;
    const send = this.#options.fetch ?? globalFetch(this.#base);
    const headers = await giveUp.unlessStopped(() => this.#headers(body !== undefined, options));
    if (headers === undefined) return failed(request, undefined, undefined);
    const init = { method, headers, signal: giveUp.signal, ...(body === undefined ? {} : { body }) };
    let response: Response;
    try {
      response = await send(this.#base + path, init);
    } catch (cause) {
      return failed(request, cause, undefined);
    }
    const position = response.headers.get('kiln-position');
    if (position && (position > this.#position || this.#position > 'f')) this.#position = position;
    return read(request, response, this.#otherContract(response.headers));
  }

  async #headers(hasBody: boolean, options: CallOptions): Promise<Headers> {
    const headers = new Headers({ accept: 'application/json' });
    if (hasBody) headers.set('content-type', 'application/json');
    if (this.#position) headers.set('kiln-position', this.#position);
    const token = await valueOf(this.#options.token);
    if (token) setToken(headers, token);
    for (const given of [await valueOf(this.#options.headers), options.headers])
      new Headers(given as Readonly<Record<string, string>>).forEach((value, name) => headers.set(name, value));
    return headers;
  }

  #otherContract(headers: Headers): string | undefined {
    const server = headers.get('kiln-contract');
    if (server === null || server === CONTRACT) return undefined;
    if (!this.#hasWarned) {
      this.#hasWarned = true;
      (this.#options.onContractMismatch ?? warn)({ client: CONTRACT, server });
    }
    return server;
  }
}

/** A server with a client for each request would fill its log otherwise. */
let warnedOf: string | undefined;

function warn({ client, server }: ContractMismatch): void {
  if (server === warnedOf) return;
  warnedOf = server;
  console.warn(
    `The API of the server has changed (contract ${server}) since this client was generated (${client}). Calls may ` +
      'fail. Run "kiln compile" on the sources of the server to update the client, or update the server.',
  );
}

interface Sending {
  readonly route: Route;
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  readonly giveUp: GivingUp;
}

/** The error of Headers would show the token. */
function setToken(headers: Headers, token: string): void {
  try {
    headers.set('authorization', `Bearer ${token}`);
  } catch {
    throw new TypeError('The token has a character that is invalid in a header, such as a line break.');
  }
}

/** At each call: it may come later than the client. */
function globalFetch(base: string): Fetch {
  if (typeof globalThis.fetch !== 'function')
    throw new TypeError('This environment has no fetch. Pass one: createClient({ baseUrl, fetch }).');
  const isRelative = base === '' || base.startsWith('/');
  if (isRelative && !('location' in globalThis))
    throw new TypeError(`baseUrl is "${base}", which works only in a browser. Use a full URL: "https://example.com".`);
  return (url, init) => globalThis.fetch(url, init);
}

function valueOf<T>(given: Given<T> | undefined): T | undefined | Promise<T> {
  return typeof given === 'function' ? (given as () => T | Promise<T>)() : given;
}

// ── Addresses ───────────────────────────────────────────────────────────────────────────────────────────────────────

function baseFrom(baseUrl: string | URL): string {
  const base = String(baseUrl);
  if (/[?#]/.test(base)) throw new TypeError('baseUrl must not have a query or a fragment: ' + base);
  if (!/^([a-z][a-z0-9+.-]*:\/\/|\/|$)/i.test(base))
    throw new TypeError('baseUrl must begin with "https://" or "/", or be "" for the origin of the page: ' + base);
  return base.replace(/\/+$/, '');
}

function pathFrom(route: Route, values: readonly PathValue[], input: unknown): string {
  let next = 0;
  const filled = (_: string, name: string) => segmentFrom(name, values[next++]);
  const path = route.route.replace(/^.* /, '').replace(/\{([^}]+)\}/g, filled);
  return route.takes === 'query' ? path + queryFrom(input) : path;
}

/** Segments that are empty, "." or ".." name another path, even encoded. */
function segmentFrom(name: string, value: PathValue | null | undefined): string {
  const text = String(value ?? '');
  if (text === '' || text === '.' || text === '..')
    throw new TypeError('"' + text + '" cannot be part of a path, so no record can have this ' + name);
  return encodeURIComponent(text);
}

/** What is undefined or null is left out. */
function queryFrom(input: unknown): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries((input ?? {}) as Readonly<Record<string, unknown>>)) {
    for (const each of [value].flat()) if (each != null) query.append(name, String(each));
  }
  const text = query.toString();
  return text === '' ? '' : '?' + text;
}

// ── Answers ─────────────────────────────────────────────────────────────────────────────────────────────────────────

async function read(
  request: Sending,
  response: Response,
  otherContract: string | undefined,
): Promise<Success<unknown> | ApiError> {
  const { status, headers } = response;
  const { gives, status: own } = request.route;
  const type = headers.get('content-type') ?? '';
  const isProblem = status >= 400 && type.includes('application/problem+json');
  const isOwn = response.ok || status === own || (own === 'any' && type.includes('json'));
  if (!isProblem && isOwn && gives === 'response') return { ok: true, status, data: response, headers };
  let text: string;
  try {
    text = await response.text();
  } catch (cause) {
    return failed(request, cause, otherContract);
  }
  if (!isProblem && isOwn && gives === 'nothing') return { ok: true, status, data: undefined, headers };
  const json = jsonFrom(text);
  if (isProblem && isProblemDocument(json)) return refused(request, response, json, otherContract);
  if (!isProblem && isOwn && json !== undefined) return { ok: true, status, data: json, headers };
  return unexpected(request, response, text, otherContract);
}

/** No JSON is undefined. */
function jsonFrom(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isProblemDocument(json: unknown): json is Problem {
  return typeof json === 'object' && json !== null && 'code' in json && typeof json.code === 'string';
}

function refused(
  { method, path }: Sending,
  { status, headers }: Response,
  problem: Problem,
  otherContract: string | undefined,
): ApiError {
  const { errors, detail, title } = problem;
  const why = errors?.map((error) => `${error.path} ${error.message}`).join(', ') || detail || title;
  const message = `${method} ${path} failed with ${status} ${problem.code}: ${why}${contractHint(otherContract)}`;
  return new ApiError(message, { code: codeOf(problem), status, problem, headers, otherContract });
}

/** Custom code has codes of its own: they are in the problem. */
function codeOf({ code }: Problem): ProblemCode {
  return CODES.test(code) ? (code as ProblemCode) : 'refused';
}

function unexpected(
  { method, path }: Sending,
  { status, headers }: Response,
  text: string,
  otherContract: string | undefined,
): ApiError {
  const type = headers.get('content-type') ?? 'no content type';
  const start = text.length > 80 ? `${text.slice(0, 80)}...` : text;
  const message =
    `${method} ${path} got ${status} (${type}), which is not a response of this API. Is baseUrl right? Is there ` +
    `a proxy that responds itself? It begins: ${start}${contractHint(otherContract)}`;
  return new ApiError(message, { code: 'unexpected-answer', status, headers, otherContract });
}

function failed({ method, path, giveUp }: Sending, cause: unknown, otherContract: string | undefined): ApiError {
  const code = giveUp.code ?? 'network';
  const ends = { network: 'got no complete response', timeout: 'took too long', aborted: 'was aborted' };
  const why = code === 'network' ? `: ${reasonOf(cause)}` : '';
  const inner = code === 'aborted' ? giveUp.signal.reason : cause;
  return new ApiError(`${method} ${path} ${ends[code]}${why}`, { code, otherContract, cause: inner });
}

/** Node tells the reason in the cause of the error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error as { readonly cause?: unknown };
  return cause instanceof Error ? `${error.message} (${cause.message})` : error.message;
}

function contractHint(otherContract: string | undefined): string {
  return otherContract === undefined
    ? ''
    : ` (The API of the server differs from the one that this client was generated for: ${otherContract}.)`;
}

// ── Time ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** POST and PATCH may have been done before the answer was lost; a second DELETE would find nothing. */
const REPEATABLE: readonly string[] = ['GET', 'PUT'];
const PASSING: readonly number[] = [429, 502, 503, 504];
const LONGEST_WAIT = 30_000;
/** A timer for longer would fire at once. */
const LONGEST_TIMER = 2_147_483_647;

/** In milliseconds; undefined where the call is not tried again. */
function waitBeforeRetry(method: string, { code, status, headers }: ApiError, tries: number): number | undefined {
  if (!REPEATABLE.includes(method) || !(code === 'network' || PASSING.includes(status))) return undefined;
  const wait = retryAfter(headers?.get('retry-after') ?? null);
  if (wait === undefined) return Math.min(200 * 2 ** tries, 5_000) * (0.5 + Math.random() / 2);
  return wait <= LONGEST_WAIT ? wait : undefined;
}

/** Seconds, or a date. */
function retryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.max(wait, 0);
}

/** Ends a call early: by the signal of the caller, or when its time is over. */
class GivingUp {
  code: 'timeout' | 'aborted' | undefined;
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #abort = () => this.#stop('aborted', this.#caller?.reason);

  constructor(caller: AbortSignal | undefined, timeout: number | undefined) {
    this.#caller = caller;
    if (timeout !== undefined && timeout <= LONGEST_TIMER)
      this.#timer = setTimeout(() => this.#stop('timeout', undefined), timeout);
    if (caller?.aborted) this.#abort();
    else caller?.addEventListener('abort', this.#abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  #stop(code: 'timeout' | 'aborted', reason: unknown): void {
    this.code ??= code;
    this.#controller.abort(reason);
  }

  /** Undefined when the call is given up first. */
  unlessStopped<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      const stop = () => resolve(undefined);
      this.signal.addEventListener('abort', stop);
      work()
        .then(resolve, reject)
        .finally(() => this.signal.removeEventListener('abort', stop));
    });
  }

  /** Ends early when the call is given up. */
  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      if (this.signal.aborted) end();
      else this.signal.addEventListener('abort', end);
    });
  }

  /** An answer that the caller reads as it comes can still be aborted. */
  close(isStillRead: boolean): void {
    clearTimeout(this.#timer);
    if (!isStillRead) this.#caller?.removeEventListener('abort', this.#abort);
  }
}

/**
 * The event of a request that was signed with the secret within the last five minutes; throws if it was not. The body is
 * the text as it was received: not parsed and written again.
 */
export async function verifyWebhook(secret: string, headers: WebhookHeaders, rawBody: string): Promise<WebhookEvent> {
  const header = (name: string): string => {
    const found = headers instanceof Headers ? headers.get(name) : headers[name];
    return typeof found === 'string' ? found : '';
  };
  const [id, time] = [header('webhook-id'), header('webhook-timestamp')];
  if (!/^\d+$/.test(time) || Math.abs(Date.now() / 1000 - Number(time)) > 300)
    throw new Error('The webhook has no time, or is not of the last five minutes.');
  const bytes = (text: string) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes(secret.replace(/^whsec_/, '')), algorithm, false, ['verify']);
  const signed = new TextEncoder().encode(`${id}.${time}.${rawBody}`);
  for (const each of header('webhook-signature').split(' ')) {
    const [version, value = ''] = each.split(',');
    const isReadable = version === 'v1' && /^[A-Za-z0-9+/]{43}=$/.test(value);
    if (isReadable && (await crypto.subtle.verify('HMAC', key, bytes(value), signed))) return JSON.parse(rawBody);
  }
  throw new Error('The signature of the webhook is wrong.');
}
