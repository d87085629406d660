"""One small answer of each source, with every member that is read."""

from typing import Any

CROSSREF: dict[str, Any] = {
    "DOI": "10.1176/AJP.155.7.895",
    "type": "journal-article",
    "title": ["Quality of <i>Life</i> &amp;amp; Work"],
    "subtitle": ["A Trial"],
    "author": [
        {"given": "Ann B.", "family": "Other", "suffix": "Jr.", "ORCID": "http://orcid.org/0000-0002-1825-0097"},
        {"name": "The Trial Group"},
        {"given": "Jörg", "family": "Müller", "ORCID": "0000-0000-0000-0000"},
        {"given": "Plato"},
        {"affiliation": []},
    ],
    "issued": {"date-parts": [[None]]},
    "published-print": {"date-parts": [["1998", 7]]},
    "container-title": ["American Journal of Psychiatry"],
    "publisher": "A Press",
    "volume": "155",
    "issue": "7",
    "page": "895-7",
    "article-number": "e12",
    "ISSN": ["0002953X", "1535-7228", "nonsense"],
    "ISBN": ["http://id.crossref.org/isbn/9783319539218"],
    "language": "en",
    "abstract": "<jats:title>Abstract</jats:title><jats:p>P&lt;0.001 holds.</jats:p>",
    "URL": "http://dx.doi.org/10.1176/ajp.155.7.895",
    "is-referenced-by-count": 9,
    "references-count": 68,
    "link": [
        {"URL": "https://press.test/1.pdf", "intended-application": intended}
        for intended in ("text-mining", "similarity-checking", "syndication", "unspecified", None)
    ],
    "license": [{"URL": "https://creativecommons.org/licenses/by/4.0/"}],
    "relation": {
        "has-preprint": [
            {"id-type": "doi", "id": "10.48550/arXiv.1706.03762"},
            {"id-type": "arxiv", "id": "1706.03762"},
            {"id-type": "doi", "id": "10.1101/2020.01.01.1"},
            {"id-type": "uri", "id": "https://elsewhere.test/"},
        ]
    },
    "updated-by": [
        {"DOI": "10.1176/Notice", "type": "Retraction", "updated": {"date-parts": [[2006, 1, 20]]}},
        {"DOI": "10.1176/fix", "type": "erratum"},
    ],
    "reference": [{"key": "1"}],
    "assertion": [{"name": "received"}],
}

BEST = {
    "url": "https://repo.test/1",
    "url_for_pdf": "https://repo.test/1.pdf",
    "license": "cc-by",
    "version": "acceptedVersion",
    "host_type": "repository",
    "evidence": "oa repository",
}

UNPAYWALL: dict[str, Any] = {
    "doi": "10.1234/X",
    "title": "A &amp; B",
    "genre": "journal-article",
    "year": 2019,
    "journal_name": "J",
    "publisher": "P",
    "z_authors": [{"given": "Ann", "family": "Other"}, {"raw_author_name": "Bea Else"}],
    "is_oa": True,
    "oa_status": "green",
    "best_oa_location": BEST,
    "oa_locations": [BEST, {"url": "https://repo.test/2", "url_for_pdf": None, "license": None}, {"url": None}],
}

DATACITE: dict[str, Any] = {
    "doi": "10.5281/Zenodo.123",
    "titles": [{"titleType": "AlternativeTitle", "title": "No"}, {"title": "A <b>dataset</b>"}],
    "creators": [
        {
            "familyName": "Other",
            "givenName": "Ann",
            "nameIdentifiers": [
                {"nameIdentifierScheme": "ORCID", "nameIdentifier": "https://orcid.org/0000-0002-1825-0097"}
            ],
            "affiliation": ["Somewhere"],
        },
        {"name": "CERN", "nameType": "Organizational"},
        {"name": "Else, Bea"},
    ],
    "dates": [{"dateType": "Created", "date": "2019"}, {"dateType": "Issued", "date": "2020-03-05"}],
    "publicationYear": 2021,
    "container": {"title": "Series", "volume": "1", "firstPage": "10", "lastPage": "12", "identifier": "2167-8359"},
    "publisher": {"name": "Zenodo"},
    "types": {"resourceTypeGeneral": "Dataset"},
    "descriptions": [
        {"descriptionType": "Other", "description": "No"},
        {"descriptionType": "Abstract", "description": "<p>Rows.</p>"},
    ],
    "rightsList": [
        {"rightsUri": "https://creativecommons.org/licenses/by/4.0/legalcode", "rightsIdentifier": "cc-by-4.0"}
    ],
    "relatedIdentifiers": [{"relationType": "IsPreprintOf", "relatedIdentifier": "10.1234/Published"}],
    "language": "en",
    "url": "https://zenodo.org/record/123",
    "xml": "AAAA",
    "state": "findable",
}

S2_ID = "204e3073870fae3d05bcbc2f6a8e263d9b72e776"

SEMANTIC_SCHOLAR: dict[str, Any] = {
    "paperId": S2_ID,
    "externalIds": {"DOI": "10.1234/X", "ArXiv": "1706.03762", "PubMed": "29456894", "PubMedCentral": "5815332"},
    "title": "Attention",
    "authors": [{"name": "Ashish Vaswani"}],
    "year": 2017,
    "publicationDate": None,
    "venue": "Neural Information Processing Systems",
    "journal": {"name": "NeurIPS", "volume": "30", "pages": "\n 5998 - 6008 "},
    "abstract": None,
    "citationCount": 0,
    "referenceCount": 41,
    "openAccessPdf": {"url": "https://repo.test/1.pdf", "status": "GREEN", "license": "CCBYNC"},
    "publicationTypes": ["JournalArticle", "Conference"],
}

DOAJ: dict[str, Any] = {
    "identifier": [{"type": "eissn", "id": "2167-8359"}, {"type": "DOI", "id": "10.1234/X"}],
    "title": "Open",
    "author": [{"name": "Ann Other", "orcid_id": "https://orcid.org/0000-0002-1825-0097"}],
    "year": "2018",
    "month": "2",
    "journal": {
        "title": "PeerJ",
        "volume": "6",
        "number": "1",
        "issns": ["2167-8359"],
        "publisher": "PeerJ Inc.",
        "license": [{"type": "CC BY-NC"}],
    },
    "start_page": "1",
    "end_page": "9",
    "link": [{"type": "fulltext", "url": "http://peerj.test/1"}, {"type": "other", "url": "https://x.test/"}],
    "abstract": "Text.",
}

OPENALEX: dict[str, Any] = {
    "id": "https://openalex.org/W2741809807",
    "doi": "https://doi.org/10.7717/PeerJ.4375",
    "ids": {
        "pmid": "https://pubmed.ncbi.nlm.nih.gov/29456894",
        "pmcid": "https://www.ncbi.nlm.nih.gov/pmc/articles/5815332",
    },
    "title": None,
    "display_name": "The state of <i>OA</i>",
    "publication_date": "2018-02-13",
    "publication_year": 2018,
    "type": "article",
    "language": "en",
    "authorships": [
        {"author": {"display_name": "Heather Piwowar", "orcid": "https://orcid.org/0000-0002-1825-0097"}},
        {"author": {"display_name": None}, "raw_author_name": "Priem, Jason"},
        {"author": {}},
    ],
    "biblio": {"volume": "6", "issue": None, "first_page": "e4375", "last_page": "e4375"},
    "primary_location": {
        "is_oa": True,
        "landing_page_url": "http://doi.org/10.7717/peerj.4375",
        "pdf_url": None,
        "source": {"display_name": "PeerJ", "host_organization_name": "PeerJ, Inc.", "issn": ["2167-8359"]},
    },
    "best_oa_location": {
        "is_oa": True,
        "landing_page_url": "https://doi.org/10.7717/peerj.4375",
        "pdf_url": "https://peerj.com/articles/4375.pdf",
        "license": "cc-by",
        "version": "publishedVersion",
        "source": {"type": "journal"},
    },
    "locations": [
        {"is_oa": False, "landing_page_url": "https://closed.test/"},
        {"is_oa": True, "landing_page_url": "http://arxiv.org/abs/cond-mat/9501001v2", "license": None},
    ],
    "open_access": {"oa_status": "diamond"},
    "abstract_inverted_index": {"Despite": [0], "interest": [2], "growing": [1], "bad": "x"},
    "cited_by_count": 17,
    "referenced_works_count": 3,
    "is_retracted": True,
    "fwci": 2.5,
    "cited_by_percentile_year": {"min": 99, "max": 100},
    "referenced_works": ["https://openalex.org/W1", "https://openalex.org/W22", "junk"],
}

NCBI: dict[str, Any] = {
    "uid": "9659853",
    "title": "Depression &amp; response.",
    "authors": [
        {"name": "Smith JA", "authtype": "Author"},
        {"name": "van der Berg P Jr", "authtype": "Author"},
        {"name": "Trial Group", "authtype": "CollectiveName"},
    ],
    "pubdate": "1998 Jul",
    "sortpubdate": "1998/07/01 00:00",
    "fulljournalname": "The American journal of psychiatry",
    "volume": "155",
    "issue": "7",
    "pages": "895-7",
    "elocationid": "",
    "issn": "0002-953X",
    "essn": "1535-7228",
    "pubtype": ["Journal Article"],
    "articleids": [
        {"idtype": "pubmed", "value": "9659853"},
        {"idtype": "doi", "value": "10.1176/AJP.155.7.895"},
        {"idtype": "pmc", "value": "PMC3531190"},
    ],
}

EUROPE_PMC: dict[str, Any] = {
    "pmid": "29456894",
    "pmcid": "PMC5815332",
    "doi": "10.1234/X",
    "title": "The state.",
    "authorList": {
        "author": [
            {
                "lastName": "Other",
                "firstName": "Ann",
                "authorId": {"type": "ORCID", "value": "0000-0002-1825-0097"},
            },
            {"collectiveName": "Trial Group"},
            {"fullName": "Else B"},
        ]
    },
    "journalInfo": {"volume": "6", "issue": "2", "journal": {"title": "PeerJ", "essn": "2167-8359"}},
    "pageInfo": "895-7",
    "firstPublicationDate": "2018-02-13",
    "abstractText": "<h4>Aim</h4>Text.",
    "pubTypeList": {"pubType": ["Journal Article"]},
    "license": "cc by",
    "isOpenAccess": "N",
    "inEPMC": "N",
    "citedByCount": 3,
    "fullTextUrlList": {
        "fullTextUrl": [
            {"documentStyle": "html", "availabilityCode": "OA", "url": "https://europepmc.org/a"},
            {"documentStyle": "pdf", "availabilityCode": "S", "url": "https://paid.test/a.pdf"},
            {"documentStyle": "pdf", "availabilityCode": "F", "url": "https://free.test/a.pdf"},
            {"documentStyle": "pdf", "availabilityCode": "OA", "url": "https://europepmc.org/a.pdf"},
        ]
    },
}
